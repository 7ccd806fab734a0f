"""Every example of docs/python.md works, from top to bottom."""

import os
import re
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def examples(page):
    """The Python blocks of a page: (line, text)."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    return [(text.count("\n", 0, match.start()) + 2, match.group(1))
            for match in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S)]


class Page(unittest.TestCase):
    def test_every_example_works(self):
        found = examples("docs/python.md")
        self.assertGreater(len(found), 10)
        names = {"__name__": "page"}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for line, text in found:
                    code = compile("\n" * (line - 1) + text, "docs/python.md", "exec")
                    exec(code, names)
            finally:
                os.chdir(before)
        # What the page says of what they show:
        self.assertEqual(names["arm"].parameters["elbow"], 1.2)
        self.assertLess(abs(names["sim"].joint("joint")[0] - 0.5 * __import__("math").sin(2)), 0.05)
        orbit = names["orbit"]["body"].position
        self.assertLess(abs((orbit**2).sum(axis=1) - 1).max(), 1e-8)


if __name__ == "__main__":
    unittest.main()
