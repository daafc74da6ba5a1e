"""Compares maintained secret detectors on the same sentences.

    python -m benchmarks.screening.detectors

Measures each of detect-secrets and CredSweeper that is installed (they are no dependency of ours),
and the screen's own formats.
"""

import time
from collections.abc import Callable, Iterator

from benchmarks.screening.datasets import locomo_turns
from benchmarks.screening.issuers import credentials

Detector = Callable[[str], bool]


def main() -> None:
    texts = [text for _, text in credentials(3, seed=0)]
    turns = locomo_turns()
    for name, detects in _detectors():
        started = time.perf_counter()
        found = sum(map(detects, texts))
        alarms = sum(map(detects, turns))
        pace = (len(texts) + len(turns)) / (time.perf_counter() - started)
        print(
            f"{name}: {found / len(texts):.1%} of {len(texts)}, {alarms} false alarms, {pace:,.0f}/s"
        )


def _detectors() -> Iterator[tuple[str, Detector]]:
    for name, build in (
        ("detect-secrets, formats", _detect_secrets_formats),
        ("CredSweeper", _credsweeper),
        ("confide", _confide),
    ):
        try:
            yield name, build()
        except ImportError:
            print(f"{name}: not installed")


def _detect_secrets_formats() -> Detector:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    plugins = [
        plugin()
        for plugin in get_mapping_from_secret_type_to_class().values()
        if issubclass(plugin, RegexBasedDetector) and plugin.__name__ != "KeywordDetector"
    ]
    return lambda text: any(next(iter(plugin.analyze_string(text)), None) for plugin in plugins)


def _credsweeper() -> Detector:
    from credsweeper.app import CredSweeper
    from credsweeper.file_handler.content_provider import ContentProvider
    from credsweeper.file_handler.string_content_provider import StringContentProvider

    sweeper = CredSweeper(ml_threshold=0)

    def detects(text: str) -> bool:
        provider: ContentProvider = StringContentProvider(
            [text], file_path="chat.txt", file_type=".txt"
        )
        return bool(sweeper.file_scan(provider))

    return detects


def _confide() -> Detector:
    from confide.language.words import words
    from confide.screen.secrets import find_secret

    return lambda text: find_secret(text, words(text)) is not None


if __name__ == "__main__":
    main()
