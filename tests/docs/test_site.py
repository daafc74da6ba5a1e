"""The documentation site builds offline without a warning, and leaves nothing of the code out."""

from __future__ import annotations

import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlparse

from typer.main import get_command

from confide import errors
from confide.config import Settings, variable
from confide.surfaces.cli.app import build as program
from confide.surfaces.http.app import build as server

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import reference  # noqa: E402

LOADED = re.compile(r"<(?:script|img|link|iframe)\b[^>]*?(?:src|href)=\"([^\"]+)\"")


def navigation() -> list[str]:
    config = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
    groups = [pages for group in config["nav"] for pages in group.values()]
    return [name for pages in groups for page in pages for name in page.values()]


def test_every_page_is_in_the_navigation_once() -> None:
    written = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    made = {f"reference/{name}" for name in reference.pages()}
    assert sorted(navigation()) == sorted(written | made)


def test_the_site_builds_without_warnings_and_search_and_llms_txt_know_every_page(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "tools/site.py", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stderr, done.stderr
    site = tmp_path / "site"
    found = json.loads((site / "search.json").read_text("utf-8"))
    searched = {unquote(str(one["location"])).partition("#")[0] for one in found["items"]}
    short, whole = ((site / name).read_text("utf-8") for name in ("llms.txt", "llms-full.txt"))
    for name in navigation():
        assert name.replace(".md", ".html") in searched or name == "index.md", name
        assert f"]({name}): " in short
        assert f"<!-- {name} -->" in whole
        assert (site / name).exists(), "the Markdown page stands beside the HTML page"
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        elsewhere = [one for one in LOADED.findall(text) if urlparse(one).scheme]
        assert not elsewhere, f"{page.name} loads {elsewhere}"
        outside_code = re.sub(r"(?s)<(pre|code).*?</\1>", "", text)
        assert "```" not in outside_code, f"{page.name} shows a fence as text"


def test_links_from_documents_to_files_of_the_repository_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        text = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", page.read_text("utf-8"))
        for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
            if not urlparse(target).scheme:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_decision_is_listed_by_topic_once_and_says_what_superseded_it() -> None:
    text = (ROOT / "docs" / "decisions.md").read_text("utf-8")
    entries = re.findall(r"^## (.+ \(\d{4}-\d\d-\d\d\))\n(> .*)?", text, re.MULTILINE)
    titles = [title for title, _ in entries]
    assert len(entries) == text.count("\n## ") - 1, (
        "a heading is `## What was decided (2026-11-18)`"
    )
    listed = re.findall(r"^- \[(.+)\]\(#(\S+)\)( \(superseded)?", text, re.MULTILINE)
    anchors = {slug(title): title for title in titles}
    assert sorted(anchors) == sorted(slug for _, slug, _ in listed), "list each under By topic"
    assert all(anchors[slug].startswith(title) for title, slug, _ in listed)
    superseded = {anchors[slug] for _, slug, mark in listed if mark}
    assert superseded <= {title for title, note in entries if note}, "name what superseded it"


def slug(title: str) -> str:
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title.lower()))


def test_the_readme_is_short_and_has_one_picture() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) < 150
    assert text.count("![") == 1


def test_the_reference_has_every_command_and_its_options() -> None:
    parts = dict(re.findall(r"(?ms)^## (.+?)\n(.*?)(?=^## |\Z)", reference.commands()))
    for name, command in reference.walk(get_command(program()), "confide"):
        for param in command.params:
            if param.name not in reference.COMMON and param.param_type_name == "option":
                assert f"`{param.opts[0]}`" in parts[name], f"{name} {param.opts[0]}"


def test_the_reference_has_every_verb_and_group_of_verbs() -> None:
    verbs = reference.python()
    for name in ("open", "remember", "recall", "observe", "explain", "recheck", "forget"):
        assert f"### confide.{name}\n" in verbs
    for name in ("consents", "people", "contexts", "keys", "review", "rights", "erasure"):
        assert f"## confide.{name}\n" in verbs
    assert " at 0x" not in verbs


def test_the_reference_has_every_route_setting_and_error() -> None:
    routes = reference.routes()
    for path, methods in server(cast(Any, reference.Anything())).openapi()["paths"].items():
        for method in methods:
            assert f"## {method.upper()} {path}\n" in routes
    settings = reference.settings()
    assert all(f"`{variable(name)}`" in settings for name in Settings.model_fields)
    tree = reference.errors()
    assert all(name in tree for name, kind in vars(errors).items() if isinstance(kind, type))


def test_verbs_modules_and_functions_that_a_page_names_exist() -> None:
    verbs = set(re.findall(r"^#+ (confide\.\S+)", reference.python(), re.MULTILINE))
    sql = "".join(one.read_text("utf-8") for one in (ROOT / "src").rglob("*.sql"))
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for name in re.findall(r"`(confide(?:\.[a-zA-Z_]+)+)", page.read_text("utf-8")):
            is_known = name in verbs or f"FUNCTION {name}(" in sql or _is_importable(name)
            assert is_known, f"{page.name} names {name}"


def _is_importable(name: str) -> bool:
    try:
        return bool(pkgutil.resolve_name(name))
    except (ImportError, AttributeError):
        return False
