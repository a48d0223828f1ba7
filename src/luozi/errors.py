"""A bridge to `luozi.messages`, until everything imports from there."""

from __future__ import annotations

from luozi.messages.errors import BrokenRuleError, LuoziError, RulesWarning, nearest, on_warning, warn_once

__all__ = ["BrokenRuleError", "LuoziError", "RulesWarning", "nearest", "on_warning", "warn_once"]
