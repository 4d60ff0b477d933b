import unittest

from template import render


class Names(unittest.TestCase):
    def test_a_loop_hides_a_name_and_gives_it_back(self):
        text = "{{ name }}:{% for name in items %} {{ name }}{% end %} for {{ name }}"
        self.assertEqual(render(text, {"name": "Ann", "items": ["a", "b"]}), "Ann: a b for Ann")

    def test_a_name_that_was_not_there_is_gone(self):
        self.assertEqual(render("{% for x in xs %}{{ x }}{% end %}[{{ x }}]", {"xs": [1]}), "1[]")

    def test_loops_within_loops(self):
        text = "{% for x in xs %}({% for x in x.xs %}{{ x }}{% end %} of {{ x.name }}){% end %}"
        values = {"xs": [{"name": "p", "xs": [1, 2]}, {"name": "q", "xs": [3]}]}
        self.assertEqual(render(text, values), "(12 of p)(3 of q)")

    def test_the_values_stay_as_they_are(self):
        values = {"items": [1, 2]}
        render("{% for x in items %}{{ x }}{% end %}", values)
        self.assertEqual(values, {"items": [1, 2]})

    def test_outer_names_are_seen_in_a_loop(self):
        self.assertEqual(render("{% for x in xs %}{{ y }}{{ x }}{% end %}", {"xs": [1, 2], "y": "-"}), "-1-2")


class Escape(unittest.TestCase):
    def test_once_wherever_it_stands(self):
        for filters in ["escape", "upper|escape", "trim|upper|escape", "escape|trim", "trim"]:
            self.assertEqual(render("{{ x|" + filters + " }}", {"x": "A & B"}), "A &amp; B", filters)

    def test_twice_on_request(self):
        self.assertEqual(render("{{ x|escape|escape }}", {"x": "&"}), "&amp;amp;")

    def test_raw_stays_raw(self):
        self.assertEqual(render("{{ x|upper|raw }}", {"x": "<b>"}), "<B>")
