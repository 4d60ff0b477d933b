package evidence

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
)

// said matches a verb for what a person did with words.
const said = `wrote|writes?|sa(?:id|ys?)|report(?:s|ed)?|told|posted|confirm(?:s|ed)|mention(?:s|ed)|` +
	`describe[ds]`

// A source that names what people wrote: a message by its number or its link, or what somebody said in the
// thread.
var (
	messageNamed = regexp.MustCompile(`(?i)(?:^|[,;:(]\s*|\b(?:in|from|per|see|of)\s+|['’]s?\s+)` +
		`(?:(?:the|this|slack|thread)\s+)*(?:messages?|msgs?|repl(?:y|ies))\s+(?:no\.?\s*|#)?\d{1,4}\b`)
	messageLink = regexp.MustCompile(`(?i)^\W*https://[\w.-]+/archives/\w+/p\d+`)
	threadNamed = regexp.MustCompile(
		`(?i)^\W*(?:read_thread\b|(?:(?:the|this|slack)\s+)*thread\s*(?:$|[,:;(]))`)
	saidInIt  = regexp.MustCompile(`(?i)\b(?:` + said + `)\b.*\bin (?:the|this|slack)(?: slack)? thread\b`)
	fenced    = regexp.MustCompile(`(?s)<message>.*?</message>`)
	wroteHere = regexp.MustCompile(`(?m)^(.{1,100}) wrote in the thread:$`)
	saying    = regexp.MustCompile(`^(?:['’]s?\s|\s+(?:` + said + `)\b)`)
)

// Regrade grades what people said in the thread as reported, and not as observed, whatever the agent calls
// it.
func (p Past) Regrade(evidence []workflow.Evidence) {
	for i, e := range evidence {
		if e.Grade == workflow.GradeObserved && p.said(e.Source) {
			evidence[i].Grade = workflow.GradeReported
		}
	}
}

// said reports whether a source is what a person wrote in the thread, and nothing that was read in the
// repository, run, or asked of a source.
func (p Past) said(source string) bool {
	source = strings.TrimSpace(source)
	if findings.IsCommand(source) || len(PlacesOf(source)) > 0 || len(RunsIn(source)) > 0 ||
		p.sourceIn(source) != "" {
		return false
	}
	return messageNamed.MatchString(source) || messageLink.MatchString(source) ||
		threadNamed.MatchString(source) || saidInIt.MatchString(source) || p.namesWriter(source)
}

// namesWriter reports whether a source begins with a person of the thread, as in "Ann's reply" and "Ann says
// that it is too much".
func (p Past) namesWriter(source string) bool {
	source = strings.ToLower(strings.TrimPrefix(source, "@"))
	for _, m := range p.Messages {
		if m.Role != model.User {
			continue
		}
		outside := fenced.ReplaceAllString(m.Text, "")
		for _, name := range wroteHere.FindAllStringSubmatch(outside, -1) {
			rest, ok := strings.CutPrefix(source, strings.ToLower(name[1]))
			if ok && saying.MatchString(rest) {
				return true
			}
		}
	}
	return false
}
