package tracker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// An Issue is an issue as it was when it was read. All of its texts were written by others.
type Issue struct {
	Shown    string // its key
	Title    string
	State    string
	Labels   []string
	Facts    []string // of the kind: priority, release, counts
	Body     string
	Trace    string // the stack trace of the newest event, the newest call first
	Comments []Comment
	Count    int // of all comments; at least len(Comments)
}

// A Comment is one comment of an issue.
type Comment struct {
	Author, At, Text string
}

// The bounds of an issue's text, in bytes.
const (
	maxBody         = 6 << 10
	maxTrace        = 5 << 10
	maxComment      = 1 << 10
	maxCommentsText = 6 << 10
	maxLine         = 200 // characters of a title, a label, a fact
	maxLabels       = 20
	maxFacts        = 12
)

// Masked returns the issue with mask applied to each of its texts. Text and Label cut texts, and a secret has
// to be masked before a cut divides it.
func (i Issue) Masked(mask func(string) string) Issue {
	each := func(list []string) (masked []string) {
		for _, s := range list {
			masked = append(masked, mask(s))
		}
		return masked
	}
	i.Title = mask(i.Title)
	i.State = mask(i.State)
	i.Labels = each(i.Labels)
	i.Facts = each(i.Facts)
	i.Body = mask(i.Body)
	i.Trace = mask(i.Trace)
	i.Comments = slices.Clone(i.Comments)
	for n, c := range i.Comments {
		i.Comments[n] = Comment{mask(c.Author), c.At, mask(c.Text)}
	}
	return i
}

// Text returns the issue for agents, bounded. It says what is left out.
func (i Issue) Text() string {
	var b strings.Builder
	line := func(name, text string) {
		if text = cutLine(text); text != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, text)
		}
	}
	line("Title", i.Title)
	line("State", i.State)
	var labels []string
	for _, l := range i.Labels[:min(len(i.Labels), maxLabels)] {
		labels = append(labels, cutLine(l))
	}
	line("Labels", strings.Join(labels, ", "))
	for _, f := range i.Facts[:min(len(i.Facts), maxFacts)] {
		if f = cutLine(f); f != "" {
			fmt.Fprintln(&b, f)
		}
	}
	if body := strings.TrimSpace(i.Body); body != "" {
		fmt.Fprintf(&b, "\n%s\n", cutText(body, maxBody))
	}
	if i.Trace != "" {
		fmt.Fprintf(&b, "\nStack trace of the newest event, the failing call first:\n%s\n",
			cutText(i.Trace, maxTrace))
	}
	b.WriteString(i.commentsText())
	return strings.TrimSpace(b.String())
}

// commentsText returns the newest comments, as many as fit, oldest first.
func (i Issue) commentsText() string {
	var kept []string
	size := 0
	for _, c := range slices.Backward(i.Comments) {
		text := fmt.Sprintf("%s, %s:\n%s", cmp.Or(cutLine(c.Author), "somebody"), cutLine(c.At),
			cutText(strings.TrimSpace(c.Text), maxComment))
		if size += len(text); size > maxCommentsText {
			break
		}
		kept = append(kept, text)
	}
	slices.Reverse(kept)
	if len(kept) == 0 {
		return ""
	}
	head := "\nComments"
	if left := max(i.Count, len(i.Comments)) - len(kept); left > 0 {
		head += fmt.Sprintf(" (the newest; %d older ones are left out)", left)
	}
	return head + ":\n" + strings.Join(kept, "\n") + "\n"
}

// Label returns the issue in one line for people: its key, its title, and how many comments it has.
func (i Issue) Label() string {
	label := i.Shown
	if title := plaintext.SafeLine(i.Title, 80); title != "" {
		label += " " + plaintext.QuoteLine(title)
	}
	if n := max(i.Count, len(i.Comments)); n > 0 {
		label += " with " + plaintext.CountNoun(n, "comment")
	}
	return label
}

// oneLine returns a text in one line, whole: what it is a part of is masked before it is cut.
func oneLine(s string) string { return plaintext.OneLine(s) }

func cutLine(s string) string { return plaintext.SafeLine(s, maxLine) }

// cutText cuts a text in its middle, so that the beginning and the end stay.
func cutText(s string, most int) string {
	cut, _ := plaintext.CutMiddle(strings.ToValidUTF8(s, "?"), most*2/3, most/3)
	return cut
}
