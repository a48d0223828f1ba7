"""`python -m luozi.cli` is `luozi`."""

import sys

from luozi.cli.app import main

sys.exit(main())
