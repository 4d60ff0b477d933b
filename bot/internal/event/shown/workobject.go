package shown

import "cmp"

// workObject reads what an app shows of a thing that a link points to, such as an issue. Slack documents what
// apps send (https://docs.slack.dev/messaging/work-objects-implementation). It arrives as layouts: a compact
// one, and an expanded one that has fields.
func (r *reader) workObject(o map[string]any) {
	before := len(r.lines)
	compact := object(object(o, "layouts"), "compact")
	expanded := object(object(o, "layouts"), "expanded")
	r.add(Line{
		Kind: Heading,
		Text: cmp.Or(textOf(expanded["title"]), textOf(compact["title"])),
		Link: str(o, "external_url"),
	})
	r.say(cmp.Or(textOf(expanded["subtitle"]), textOf(compact["subtitle"])))
	for _, f := range list(object(expanded, "fields"), "elements") {
		field, _ := f.(map[string]any)
		value := cmp.Or(textOf(field["rich_text"]), r.text(field, "text"), r.text(field, "value"))
		r.add(Line{Kind: Field, Name: textOf(field["label"]), Text: value})
	}
	if len(r.lines) == before {
		r.missed("what an app shows of a link")
	}
}
