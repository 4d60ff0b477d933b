package proposal

import (
	"cmp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// The widths that git's own tools expect, in characters.
const (
	maxSubject = 72
	bodyWidth  = 72
)

// CommitMessage returns a commit message: a subject of at most 72 characters, and the model's summary
// in lines of 72 characters. Without a title the first sentence of the summary is the subject, or
// fallback if there is no summary. It has no effect at a git host.
func CommitMessage(title, summary, fallback string) string {
	title = strings.TrimRight(plaintext.OneLine(title), ".")
	body := strings.TrimSpace(summary)
	if title == "" {
		first, rest := firstSentence(body)
		title = cmp.Or(strings.TrimRight(plaintext.OneLine(first), "."),
			strings.TrimRight(plaintext.OneLine(fallback), "."))
		if len([]rune(title)) <= maxSubject {
			body = strings.TrimSpace(rest)
		}
	}
	return strings.TrimSpace(plaintext.CutWords(host.CommitText(title), maxSubject) + "\n\n" +
		host.CommitText(plaintext.WrapProse(body, bodyWidth)))
}

// Trailers returns the trailers that name who reported and who approved the work, as text without an effect
// at a git host. approver is empty if nothing was stored of that person but userName and the id of the user.
func Trailers(reporters []string, approver, userName, user string) (list [][2]string) {
	for _, who := range reporters {
		list = append(list, [2]string{"Reported-by", host.CommitText(plaintext.OneLine(who))})
	}
	if approver == "" && userName != user { // an approval from before credits were stored
		approver = strings.NewReplacer("<", "", ">", "").Replace(plaintext.OneLine(userName))
	}
	if approver != "" {
		list = append(list, [2]string{"Approved-by", host.CommitText(plaintext.OneLine(approver))})
	}
	return list
}

// UnprovenTrailer returns the trailer that says why nothing was proven, as text without an effect at a git
// host: the reason may quote a command's output.
func UnprovenTrailer(reason string) [2]string {
	return [2]string{"Unproven", host.CommitText(plaintext.OneLine(reason))}
}

// A TicketLine is an issue that a commit and a pull request name, since a person who may approve named it. It
// has its effect at the host.
type TicketLine struct {
	Name   string // #412 or PAY-881
	Closes bool
	By     string // who named it
}

// TicketTrailers returns the trailers that name the tickets.
func TicketTrailers(tickets []TicketLine) (list [][2]string) {
	for _, t := range tickets {
		key := "Refs"
		if t.Closes {
			key = "Fixes"
		}
		list = append(list, [2]string{key, t.Name})
	}
	return list
}

// firstSentence splits a text after its first sentence or line.
func firstSentence(s string) (first, rest string) {
	line, _, _ := strings.Cut(s, "\n")
	if i := strings.Index(line, ". "); i >= 0 {
		line = line[:i+1]
	}
	return line, s[len(line):]
}
