"""A loopback double of the Messages API that drives real clients.

    stops = [(0.9, Text("ACTION: {letter of Stop and ask}")), (0.1, faults.REFUSAL)]
    obeys = When(present="Never push", ask="push", answers=stops)
    with MessagesApi(Script([obeys], default=Text("ACTION: {letter of Push}"), seed=7)) as api:
        subprocess.run([client, "-p", ...], env=environment | api.environment())
        assert api.asked[0].model == "claude-sonnet-4-5"

`Script`, `When`, `Text`, `ToolUse`, `Thinking`, `Answer`, `Turns` say what is answered; `faults` and `Trouble` say what
goes wrong; `MessagesApi` keeps what was asked and what it would have cost.
"""

from tests.doubles.messages_api import faults
from tests.doubles.messages_api.answers import Answer, ScriptError, Text, Thinking, ToolUse, Turns
from tests.doubles.messages_api.cache import PromptCache, Usage
from tests.doubles.messages_api.faults import FAULTS, Fault
from tests.doubles.messages_api.request import Request
from tests.doubles.messages_api.script import Reply, Script, Trouble, When
from tests.doubles.messages_api.server import Exchange, MessagesApi, refusing

__all__ = [
    "FAULTS",
    "Answer",
    "Exchange",
    "Fault",
    "MessagesApi",
    "PromptCache",
    "Reply",
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
