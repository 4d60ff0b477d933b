import unittest

from template import TemplateError, render


class Render(unittest.TestCase):
    def test_values(self):
        self.assertEqual(render("Dear {{ who.name }},", {"who": {"name": "Ann"}}), "Dear Ann,")
        self.assertEqual(render("[{{ nobody }}]", {}), "[]")

    def test_values_are_escaped(self):
        self.assertEqual(render("{{ x }} {{ x|raw }} {{ x|escape }}", {"x": "<b>"}), "&lt;b&gt; <b> &lt;b&gt;")

    def test_loops(self):
        self.assertEqual(render("{% for x in xs %}<{{ x }}>{% end %}", {"xs": [1, 2]}), "<1><2>")
        self.assertEqual(render("{% for x in xs %}<{{ x }}>{% end %}", {}), "")

    def test_conditions(self):
        text = "{% if paid %}thanks{% else %}please pay{% end %}"
        self.assertEqual(render(text, {"paid": True}), "thanks")
        self.assertEqual(render(text, {}), "please pay")

    def test_filters(self):
        self.assertEqual(render("{{ xs|join|upper }}", {"xs": ["a", "b"]}), "A, B")

    def test_mistakes(self):
        for text in ["{% for x %}{% end %}", "{% if x %}", "{{ }}", "{% end %}", "{{ x|nope }}"]:
            with self.assertRaises(TemplateError, msg=text):
                render(text, {})


if __name__ == "__main__":
    unittest.main()
