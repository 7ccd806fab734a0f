"""The reference of the Python package as a page in Markdown, from its stubs (.pyi): the package
itself need not be installed."""

import ast
import pathlib
import re


def markdown(stubs):
    """`stubs`: the folder of the package, with __init__.pyi."""
    parts = ["# The Python package\n\nWritten from the docstrings of `import taut`. "
             "[Python](../docs/python.md) shows how it is used.\n"]
    for file in sorted(pathlib.Path(stubs).glob("*.pyi")):
        module = "taut" if file.stem == "__init__" else f"taut.{file.stem}"
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if module != "taut":
            parts.append(f"## {module}\n\n{prose(ast.get_docstring(tree))}\n")
        functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
        classes = [n for n in tree.body if isinstance(n, ast.ClassDef)]
        for node in functions + classes if module == "taut" else classes + functions:
            if isinstance(node, ast.FunctionDef):
                parts.append(entry(node, module, 2 if module == "taut" else 3))
            else:
                parts.append(of_class(node, module))
    return "\n".join(parts)


def of_class(node, module):
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    parts = [f"## {node.name}\n\n```python\nclass {module}.{node.name}({bases})\n```\n".replace("()", "")]
    parts.append(prose(ast.get_docstring(node)) + "\n")
    for each in node.body:
        if not isinstance(each, ast.FunctionDef) or is_setter(each):
            continue
        if each.name.startswith("_") and each.name not in ("__init__", "__getitem__", "__len__"):
            continue
        parts.append(entry(each, node.name, 3))
    return "\n".join(parts)


def is_setter(node):
    return any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in node.decorator_list)


def entry(node, owner, level):
    decorators = [ast.unparse(d) for d in node.decorator_list]
    name = owner if node.name == "__init__" else f"{owner}.{node.name}"
    text = f"{'#' * level} {node.name if node.name != '__init__' else owner + '()'}\n\n"
    if "property" not in decorators:
        text += f"```python\n{signature(name, node)}\n```\n\n"
    doc = ast.get_docstring(node) or ""
    if doc.startswith("Initialize self."):
        doc = ""
    return text + prose(doc) + "\n"


def signature(name, node):
    words = [w for w in split(ast.unparse(node.args)) if w not in ("self", "cls")]
    if words[:1] == ["/"]:
        words = words[1:]
    line = f"{name}({', '.join(words)})"
    if len(line) <= 90:
        return line
    return f"{name}(\n    " + ",\n    ".join(words) + ")"


def split(text):
    """At commas that are not in brackets."""
    words, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            words.append("")
        else:
            words[-1] += c
    return [word.strip() for word in words if word.strip()]


def prose(doc):
    """A docstring as Markdown: `:param x:` as a list, ``code`` with single quotes."""
    doc = re.sub(r"``(.+?)``", r"`\1`", doc or "", flags=re.DOTALL)
    doc = re.sub(r"\n +(?=\S)", "\n  ", doc) if ":param" in doc else doc
    doc = re.sub(r"^:param (\w+):", r"- `\1`:", doc, flags=re.MULTILINE)
    return re.sub(r"([^\n])\n(- `)", r"\1\n\2", doc)
