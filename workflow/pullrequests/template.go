package pullrequests

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// A text of a pull request that is written into a repository's template has the bot's words in several
// places. Each is between marks of its own, so that it can be renewed alone: what people write elsewhere, and
// the boxes that they tick, stay.

func beginPlace(part string) string { return "<!-- bobbin begins: " + strings.ToLower(part) + " -->" }
func endPlace(part string) string   { return "<!-- bobbin ends: " + strings.ToLower(part) + " -->" }

// places are the parts of the bot's text that may have places of their own in a template.
var places = []string{pullrequest.TicketsHeading, pullrequest.ProofHeading, pullrequest.ReportHeading}

// A section is a heading of a template with what follows it.
type section struct {
	heading string
	lines   []string
}

// sectionsOf returns the sections of a template. The first has no heading.
func sectionsOf(template string) []section {
	list := []section{{}}
	fenced := false
	for _, line := range strings.Split(template, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if !fenced && headingLine.MatchString(line) {
			list = append(list, section{heading: line})
			continue
		}
		last := &list[len(list)-1]
		last.lines = append(last.lines, line)
	}
	return list
}

var (
	// headingLine matches a heading of Markdown, and a line in bold, which many templates have instead.
	headingLine = regexp.MustCompile(`^(?:#{1,6}[ \t]+\S|\*\*[^*]+\*\*:?[ \t]*$|__[^_]+__:?[ \t]*$)`)
	listItem    = regexp.MustCompile(`^[ \t>]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[[ x]\]`)
)

// mainPart is the part with everything that has no place of its own.
const mainPart = ""

// meanings say, by the words of a heading, which part belongs below it. The first one that matches counts.
var meanings = []struct {
	words *regexp.Regexp
	part  string
	none  bool // nothing belongs there
}{
	{
		regexp.MustCompile(`(?i)check ?list|type of change|screenshot|breaking|deploy|rollback|reviewer`),
		"", true,
	},
	{
		regexp.MustCompile(`(?i)\b(?:issues?|tickets?|jira|fixes|closes|linear|task)\b`),
		pullrequest.TicketsHeading, false,
	},
	{
		regexp.MustCompile(`(?i)\b(?:tests?|tested|testing|verif\w+|proof|proven|qa|validat\w+)\b`),
		pullrequest.ProofHeading, false,
	},
	{
		regexp.MustCompile(`(?i)\b(?:why|motivation|context|background|problem|cause|reason|rationale)\b`),
		pullrequest.ReportHeading, false,
	},
	{
		regexp.MustCompile(`(?i)\b(?:description|summary|what|overview|changes?|details|about|purpose)\b`),
		mainPart, false,
	},
}

// meaningOf returns which part belongs below a heading.
func meaningOf(heading string) (part string, ok bool) {
	for _, m := range meanings {
		if m.words.MatchString(heading) {
			return m.part, !m.none
		}
	}
	return "", false
}

// fill returns the template with the bot's text in it: each part below the first heading that is about it,
// and everything else below the one that is about the change, or at the top. What the template says below
// such a heading gives way, except for the items of a checklist.
func fill(template, body string) string {
	sections := sectionsOf(template)
	at := map[string]int{}
	for i, s := range sections {
		if part, ok := meaningOf(s.heading); ok && i > 0 {
			if _, taken := at[part]; !taken {
				at[part] = i
			}
		}
	}
	var own []string
	for _, part := range places {
		if _, has := at[part]; has {
			own = append(own, part)
		}
	}
	rest, parts := splitBody(body, own)
	var pieces []string
	add := func(piece string) {
		if piece = strings.Trim(piece, "\n"); strings.TrimSpace(piece) != "" {
			pieces = append(pieces, piece)
		}
	}
	if _, has := at[mainPart]; !has {
		add(between(mainPart, rest))
	}
	for i, s := range sections {
		add(s.heading)
		lines := s.lines
		for part, place := range at {
			if place != i {
				continue
			}
			text := parts[part]
			if part == mainPart {
				text = rest
			}
			add(between(part, text))
			lines = slices.DeleteFunc(slices.Clone(lines),
				func(line string) bool { return !listItem.MatchString(line) })
		}
		add(strings.Join(lines, "\n"))
	}
	return strings.Join(pieces, "\n\n")
}

// between returns the text of a part between its marks.
func between(part, text string) string {
	if text == "" {
		text = nothing[part]
	}
	if part == mainPart {
		return beginText + "\n" + text + "\n" + endText
	}
	return beginPlace(part) + "\n" + text + "\n" + endPlace(part)
}

// nothing is what stands in the place of a part that the text does not have.
var nothing = map[string]string{pullrequest.TicketsHeading: "Nobody named one."}

// splitBody takes the parts with places of their own out of the bot's text: those of the newest push, which
// come first. Their headings are the program's alone (proposal.PullRequestText).
func splitBody(body string, own []string) (rest string, parts map[string]string) {
	parts = map[string]string{}
	var kept []string
	taking := ""
	before := false
	for _, line := range strings.Split(body, "\n") {
		if strings.HasPrefix(line, "## Before that") {
			before = true
		}
		if m := partHeading.FindStringSubmatch(line); m != nil {
			taking = ""
			if _, twice := parts[m[1]]; !before && !twice && slices.Contains(own, m[1]) {
				taking = m[1]
				parts[taking] = m[2]
				continue
			}
		}
		if taking != "" {
			parts[taking] += "\n" + line
			continue
		}
		kept = append(kept, line)
	}
	for name, text := range parts {
		parts[name] = strings.TrimSpace(text)
	}
	return strings.TrimSpace(strings.Join(kept, "\n")), parts
}

// partHeading matches the heading of a part, or of a push.
var partHeading = regexp.MustCompile(`^(?:### ([A-Z][a-z]+)(?: \((revision \d+)\))?$|## |\[The thread\])`)

// renewPlaces returns the text there with the bot's parts in place of their earlier texts, and the rest of
// the body, which has no place of its own in it.
func renewPlaces(there, body string) (text, rest string) {
	var own []string
	for _, part := range places {
		if _, ok := replaceBetween(there, beginPlace(part), endPlace(part), ""); ok {
			own = append(own, part)
		}
	}
	rest, parts := splitBody(body, own)
	for _, part := range own {
		there, _ = replaceBetween(there, beginPlace(part), endPlace(part), between(part, parts[part]))
	}
	return there, rest
}

// replaceBetween returns the text there with another one in place of the first begin, the end behind it and
// what is between. ok is false if they are not in it.
func replaceBetween(there, begin, end, with string) (text string, ok bool) {
	from := strings.Index(there, begin)
	if from < 0 {
		return "", false
	}
	length := strings.Index(there[from:], end)
	if length < 0 {
		return "", false
	}
	return there[:from] + with + there[from+length+len(end):], true
}
