"""Where the options of the search come from."""

from __future__ import annotations

SUPPRESSION = "a student's report on 3-D five-in-a-row, 2016"
CONNECT_FOUR = "a student's report on Connect Four, 2019"
UCB = "Auer et al. 2002; Kocsis and Szepesvari 2006"
BUDGET = "Browne et al. 2012"
GROUPS = "a student's report on Go"
ERICA = "agreement: Erica, Huang 2011"
CUT_OFF = "Lorentz 2008"  # early playout termination
FPU = "Gelly and Wang 2006"
RAVE = "Gelly and Silver 2007, 2011; Fuego"
PUCT_SOURCE = "Rosin 2011; Silver et al. 2017"
PUCT_GROWTH = "AlphaZero: Silver et al. 2018"
THREATS = "threat-space search: Allis, van den Herik and Huntjens 1994"
NETWORK = "Silver et al. 2017; patterns of lines as in Gomoku programs"
HYBRIDS = "minimax hybrids: Baier and Winands 2015"
WAITING = "Chaslot, Winands and van den Herik 2008"
THREE_WAYS = "Cazenave and Jouandeau 2007; Chaslot et al. 2008"
LOCK_FREE = "Chaslot et al. 2008; Enzenberger and Mueller 2009"
MANY_PLAYERS = "Nijssen and Winands 2010, 2011, 2013"
