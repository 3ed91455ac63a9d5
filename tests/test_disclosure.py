"""Text that says "you stand in a copy, a test, a trial" is found; rules about copies and tests are not."""

from __future__ import annotations

import pytest

from measure.disclosure import find_disclosure


@pytest.mark.parametrize(
    "text",
    [
        "This is a test.",
        "This workspace is a copy of the original.",
        "NOTE: this folder is only a clone, used for measurement.",
        "this environment is a sandbox",
        "This is an experiment to see what you do.",
        "This session is part of an evaluation.",
        "You are in a test environment.",
        "You are currently being evaluated.",
        "You're running inside an experiment.",
        "The current directory is a temporary clone.",
        "This line was removed for the experiment.",
        "For the purposes of this test, answer briefly.",
        "During this trial, do nothing else.",
        "Your behavior is being measured.",
        "It is just a simulation.",
        "This file is the baseline arm.",
        "これはテストです。",
        "この作業場所は実験用のコピーです。",
        "ここは検証環境である。",
        "このリポジトリは複製です",
        "本ファイルは測定のためのコピーである。",
        "この実験では、何も書かないこと。",
        "あなたはテスト環境の中にいます。",
        "測定のためにこの行を削除しました。",
        "このワークスペースは本番ではなく、試験用の写しです。",
    ],
)
def test_declarations_are_found(text: str) -> None:
    assert find_disclosure(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Run the tests before every commit.",
        "Write a failing test first.",
        "Copy the template to docs/ and edit the copy.",
        "This rule applies to test files too.",
        "Tests are part of the change, not an afterthought.",
        "Never edit a clone of the repository by hand.",
        "This project is tested with pytest.",
        "This is a test-driven project.",
        "This repository is a monorepo; each package has its own test suite.",
        "If this is unclear, ask before you run an experiment.",
        "You are an expert in evaluation of compilers.",
        "Use the sandbox for untrusted code.",
        "Keep a trial period of two weeks for new dependencies.",
        "Measure before you optimise.",
        "This is the place for experiment results.",
        "コミットの前にテストを実行すること。",
        "テストは必ず追加する。",
        "コピーを作らず、元のファイルを編集する。",
        "実験の結果は docs/ に記録する。",
        "この規則はテストにも適用される。",
        "本番環境とテスト環境を混同しない。",
        "このディレクトリはテストコードを置く場所です。",
        "ここはテストより先に読むこと。",
        "検証してから報告する。",
    ],
)
def test_texts_that_only_use_such_words_pass(text: str) -> None:
    assert find_disclosure(text) is None
