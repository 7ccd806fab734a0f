"""Builds the documentation as static pages.

    build.py --out results/docs [--films --taut build/release/bin/taut] [--doxygen] [--stubs FOLDER]

Every page of docs/ becomes an HTML page, with the navigation of navigation.json, search without a
network, highlighted code, and links between the .md files rewritten. A link to nothing is an error.
With --films, `<!-- film SCENE … -->` becomes a film made by `taut render`; films that are there
already and whose scene and options are the same are kept. With --stubs, the reference of the Python
package is made from the stubs of that folder."""

import argparse
import hashlib
import html
import json
import os
import pathlib
import posixpath
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from urllib.parse import unquote

try:
    import markdown
    import pygments.formatters
except ImportError:
    sys.exit(77)  # scripts/install-dependencies.sh --docs installs them
import python_reference

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]


def slug(text, separator="-"):
    """The anchor of a heading, as GitHub makes it: links in the .md files work there, too."""
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", separator)


class Page:
    def __init__(self, path, text=None):
        self.path = path  # in the source tree: docs/loop.md
        self.text = text or (root / path).read_text(encoding="utf-8")
        heading = re.search(r"^# (.+)$", self.text, re.MULTILINE)
        title = heading[1] if heading else pathlib.Path(path).stem
        self.title = html.unescape(re.sub(r"[`*]", "", title))
        self.target = self.place(path)

    @staticmethod
    def place(path):
        if path == "README.md":
            return "index.html"
        return posixpath.splitext(path.removeprefix("docs/"))[0].lower() + ".html"


class Site:
    def __init__(self, out, taut, films, stubs):
        self.out, self.taut, self.with_films = out, taut, films
        self.faults, self.search = [], []
        self.groups, self.pages = self.navigation()
        if stubs:
            page = Page("python/reference.md", python_reference.markdown(stubs))
            self.pages[page.path] = page
            self.groups.append(("Reference", [page]))
        self.template = (here / "page.html").read_text(encoding="utf-8")

    def navigation(self):
        groups, pages = [], {}
        for group in json.loads((here / "navigation.json").read_text()):
            paths = []
            for pattern in group["pages"]:
                found = sorted(str(p.relative_to(root)) for p in root.glob(pattern))
                paths += [path for path in found if path not in pages and path not in paths]
            for path in paths:
                pages[path] = Page(path)
            if paths:
                groups.append((group["title"], [pages[path] for path in paths]))
        return groups, pages

    def build(self):
        self.out.mkdir(parents=True, exist_ok=True)
        for asset in ("style.css", "site.js"):
            shutil.copy(here / asset, self.out / asset)
        light = pygments.formatters.HtmlFormatter(style="friendly", cssclass="code")
        dark = pygments.formatters.HtmlFormatter(style="nord", cssclass="code")
        styles = light.get_style_defs(".code") + "\n@media (prefers-color-scheme: dark) {\n"
        (self.out / "code.css").write_text(styles + dark.get_style_defs(".code") + "\n}\n")
        self.order = [page for _, pages in self.groups for page in pages]
        self.anchors = {}
        bodies = {page: self.convert(page) for page in self.order}
        for page, body in bodies.items():
            self.write(page, self.link(page, body))
        index = json.dumps(self.search, ensure_ascii=False).replace("</", "<\\/")
        (self.out / "search.js").write_text(f"const pages = {index};\n", encoding="utf-8")

    def convert(self, page):
        text = re.sub(r"^<!-- film (.+?) -->$", lambda found: self.film(page, found[1]), page.text,
                      flags=re.MULTILINE)
        # GitHub needs no blank line before a list; this reader of Markdown does.
        text = blank_lines_before_lists(text)
        reader = markdown.Markdown(
            extensions=["tables", "fenced_code", "codehilite", "toc", "sane_lists", "attr_list"],
            extension_configs={
                "codehilite": {"css_class": "code", "guess_lang": False},
                "toc": {"slugify": slug, "permalink": "#", "permalink_title": "Link to this place"},
            },
        )
        body = reader.convert(text)
        self.anchors[page.path] = set(re.findall(r'\bid="([^"]+)"', body))
        page.toc = [t for top in reader.toc_tokens for t in top["children"]]
        sections = re.split(r'<h[123] id="([^"]+)">(.*?)</h[123]>', body, flags=re.DOTALL)
        for anchor, heading, content in zip(sections[1::3], sections[2::3], sections[3::3]):
            heading = plain(heading).rstrip("#").strip()
            self.search.append([page.target, anchor, page.title, heading, plain(content)])
        return body

    def link(self, page, body):
        """Rewrites links, and notes those that lead nowhere."""

        def rewrite(found):
            attribute, target = found[1], html.unescape(found[2])
            if re.match(r"[a-z]+:", target) or "film/" in target:
                return found[0]
            path, _, anchor = unquote(target).partition("#")
            here_ = posixpath.dirname(page.path)
            path = posixpath.normpath(posixpath.join(here_, path)) if path else page.path
            if path in self.pages:
                if anchor and anchor not in self.anchors[path]:
                    self.faults.append(f"{page.path}: {target}: there is no such heading")
                new = relative(page.target, self.pages[path].target)
                new = (new if path != page.path or not anchor else "") + ("#" + anchor if anchor else "")
            elif not (root / path).exists() or path.startswith(".."):
                self.faults.append(f"{page.path}: {target}: there is no such file")
                return found[0]
            elif attribute == "src" or path.endswith((".svg", ".png")):
                new = relative(page.target, self.copy(path))
            else:
                if (root / path).is_dir():
                    return found[0].replace("href=", "data-folder=")
                new = relative(page.target, self.copy_text(path))
            return f'{attribute}="{html.escape(new)}"'

        # Files are named in the .md files, pages are titled.
        def retitle(found):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), found[1]))
            title = self.pages[path].title if path in self.pages else found[2]
            return f'<a href="{found[1]}">{html.escape(title)}</a>'

        body = re.sub(r'<a href="([^"#]*)">([\w/]+\.md)</a>', retitle, body)
        return re.sub(r'\b(href|src)="([^"]*)"', rewrite, body)

    def copy(self, path):
        target = f"files/{path}"
        (self.out / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, self.out / target)
        return target

    def copy_text(self, path):
        """A file of the source tree, which a browser shows as text."""
        target = self.copy(path)
        if posixpath.splitext(path)[1] in (".html", ".json", ".txt"):
            return target
        os.replace(self.out / target, self.out / (target + ".txt"))
        return target + ".txt"

    def film(self, page, line):
        if not self.with_films:
            return ""
        scene, *options = shlex.split(line)
        scenes = dict(re.findall(r"`(\w+\.json)`:\n\n```json\n(.*?)```", page.text, re.DOTALL))
        key = hashlib.sha256((line + scenes.get(scene, "")).encode()).hexdigest()[:12]
        name = f"{posixpath.splitext(scene)[0]}-{key}.webm"
        folder = self.out / "film"
        folder.mkdir(exist_ok=True)
        if not (folder / name).exists():
            print(f"taut: docs: film of {scene}", file=sys.stderr)
            with tempfile.TemporaryDirectory() as scratch:
                for each, text in scenes.items():
                    pathlib.Path(scratch, each).write_text(text, encoding="utf-8")
                made = subprocess.run(
                    [self.taut, "render", scene, "--out", "film.webm", "--size", "720x405"]
                    + ["--fps", "25", "--quiet", *options],
                    cwd=scratch, capture_output=True, text=True,
                )
                if made.returncode != 0:
                    self.faults.append(f"{page.path}: film {line}: {made.stderr.strip()}")
                    return ""
                shutil.copy(pathlib.Path(scratch, "film.webm"), folder / name)
        source = relative(page.target, f"film/{name}")
        return f'\n<video src="{source}" autoplay loop muted playsinline controls></video>\n'

    def write(self, page, body):
        up = relative(page.target, "index.html").removesuffix("index.html")
        number = self.order.index(page)
        before = self.order[number - 1] if number > 0 else None
        after = self.order[number + 1] if number + 1 < len(self.order) else None

        def turn(other, kind):
            if not other:
                return "<span></span>"
            return f'<a class="{kind}" href="{relative(page.target, other.target)}">{html.escape(other.title)}</a>'

        values = {
            "title": html.escape(page.title),
            "up": up,
            "navigation": self.sidebar(page),
            "body": body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>"),
            "contents": self.contents(page),
            "turn": turn(before, "before") + turn(after, "after"),
        }
        text = re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], self.template)
        target = self.out / page.target
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def sidebar(self, page):
        parts = []
        for title, pages in self.groups:
            here_ = " open" if page in pages or title == "Start" else ""
            links = "".join(
                f'<a href="{relative(page.target, each.target)}"'
                f'{" aria-current=page" if each is page else ""}>{html.escape(each.title)}</a>'
                for each in pages
            )
            parts.append(f"<details{here_}><summary>{title}</summary>{links}</details>")
        if (self.out / "cpp" / "index.html").exists():
            link = f'<a href="{relative(page.target, "cpp/index.html")}">The C++ library</a>'
            if self.groups[-1][0] == "Reference":
                parts[-1] = parts[-1].replace("</details>", link + "</details>")
            else:
                parts.append(f"<details open><summary>Reference</summary>{link}</details>")
        return "".join(parts)

    def contents(self, page):
        items = "".join(f'<a href="#{t["id"]}">{plain(t["name"])}</a>' for t in page.toc)
        return f"<nav class=contents><b>On this page</b>{items}</nav>" if len(page.toc) > 1 else ""


def relative(page, target):
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def plain(text):
    text = re.sub(r"<(br|/p|/li|/td|/th|/pre|/h\d)[^>]*>", " ", text)
    return html.unescape(" ".join(re.sub(r"<[^>]+>", "", text).split()))


def blank_lines_before_lists(text):
    lines, out, in_code = text.split("\n"), [], False
    for line in lines:
        if line.startswith("```"):
            if not in_code and out and out[-1].strip():
                out.append("")
            in_code = not in_code
        item = re.match(r"([-*]|\d+\.) ", line)
        last = out[-1] if out else ""
        if item and not in_code and last.strip() and not re.match(r"([-*]|\d+\.) |  ", last):
            out.append("")
        out.append(line)
    return "\n".join(out)


def doxygen(out):
    """The reference of the C++ library."""
    settings = (root / "docs" / "Doxyfile").read_text()
    settings += f'\nOUTPUT_DIRECTORY = "{out}"\nHTML_OUTPUT = cpp\n'
    done = subprocess.run(
        ["doxygen", "-"], cwd=root, input=settings, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"doxygen: {done.stderr[-2000:]}")
    main = out / "cpp" / "index.html"
    main.write_text(main.read_text().replace("../README.md", "../index.html"))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--out", required=True, type=pathlib.Path)
    arguments.add_argument("--taut", default=str(root / "build/release/bin/taut"))
    arguments.add_argument("--films", action="store_true")
    arguments.add_argument("--doxygen", action="store_true")
    arguments.add_argument("--stubs", help="the folder of the Python package, with its .pyi")
    arguments = arguments.parse_args()
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    if arguments.doxygen:
        doxygen(out)
    taut = str(pathlib.Path(arguments.taut).resolve())
    site = Site(out, taut, arguments.films, arguments.stubs)
    site.build()
    for fault in site.faults:
        print(f"taut: docs: {fault}", file=sys.stderr)
    print(f"{len(site.pages)} pages, {len(site.search)} sections: {arguments.out}/index.html")
    sys.exit(1 if site.faults else 0)


if __name__ == "__main__":
    main()
