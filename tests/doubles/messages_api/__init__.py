"""A loopback double of the Messages API that drives real clients.

    with MessagesApi(Script([When(present="never push", ask="push", answers=Text("ACTION: {letter of Stop and ask}"))])) as api:
        subprocess.run([client, "-p", ...], env=environment | api.environment())
        assert api.asked[0].model == "claude-sonnet-4-5"

`Script`, `When`, `Text`, `ToolUse`, `Thinking`, `Answer`, `Turns` say what is answered; `faults` and `Trouble` what goes
wrong; `MessagesApi` keeps what was asked and what it would have cost.
"""

from tests.doubles.messages_api import faults
from tests.doubles.messages_api.answers import Answer, ScriptError, Text, Thinking, ToolUse, Turns
from tests.doubles.messages_api.cache import PromptCache, Usage
from tests.doubles.messages_api.faults import FAULTS, Fault
from tests.doubles.messages_api.request import Request
from tests.doubles.messages_api.script import Script, Trouble, When
from tests.doubles.messages_api.server import Exchange, MessagesApi, refusing

__all__ = [
    "FAULTS",
    "Answer",
    "Exchange",
    "Fault",
    "MessagesApi",
    "PromptCache",
    "Request",
    "Script",
    "ScriptError",
    "Text",
    "Thinking",
    "ToolUse",
    "Trouble",
    "Turns",
    "Usage",
    "When",
    "faults",
    "refusing",
]
