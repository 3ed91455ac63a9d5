"""What an agent is told about where its answer may come from: one text for each stage, never a shared one.

Invariant: the two texts contradict each other on purpose and share no wording. Stage 1 names the one source there is
and so needs no list of those there are not; stage 2 has to leave what is loaded in force. Neither tells the agent that
it stands in a copy, a test or a trial.

A text stands at the head of the prompt, in both arms alike. A system prompt of our own would change the client's own
words about itself, and an instruction file would be a second difference from the workspace. It asks; it is no wall:
whether it was kept is read off the transcript (`measure.judge.leaks`).
"""

from __future__ import annotations

from typing import Final, Literal

from measure.context.proof import Stored


class Constraint(Stored):
    """A text with its version. A changed text is a new version, and answers to the two are not put together."""

    stage: Literal[1, 2]
    version: str
    text: str

    def put(self, question: str, passage: str = "") -> str:
        """The prompt of one trial; `passage` is what stage 1 gives to one arm only."""
        parts = [self.text, passage.strip("\r\n"), question]
        return "\n\n".join(part for part in parts if part.strip())


SCREEN: Final = Constraint(
    stage=1,
    version="stage-1/1",
    text="This message is the only source there is: go by what it says and by nothing else.",
)
ADJUDICATION: Final = Constraint(
    stage=2,
    version="stage-2/1",
    text="Answer with what is already loaded here. Fetch nothing from outside.",
)


def constraint_of(stage: int) -> Constraint:
    """The text of a stage."""
    return SCREEN if stage == 1 else ADJUDICATION
