"""The phrases that `tools/words.py` looks for."""

import re

import pytest

from tools.words import PHRASES, Phrase


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.pattern)
def test_each_phrase_to_avoid_is_found_in_its_example_and_not_in_a_similar_sentence(phrase: Phrase) -> None:
    assert re.search(phrase.pattern, phrase.wrong, re.IGNORECASE)
    assert not re.search(phrase.pattern, phrase.right, re.IGNORECASE)
