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

// An Approver is a person who approved work.
type Approver struct {
	Credit     string // how a commit names the person; empty: nothing was stored but the name and the id
	Name, User string
}

// credit returns how a commit names the person, or an empty string if it has no name.
func (a Approver) credit() string {
	if a.Credit == "" && a.Name != a.User {
		return strings.NewReplacer("<", "", ">", "").Replace(plaintext.OneLine(a.Name))
	}
	return a.Credit
}

// Trailers returns the trailers that name who reported the work, who approved it, and who was needed for
// exactly its files, as text without an effect at a git host.
func Trailers(reporters []string, approvers, reviewers []Approver) (list [][2]string) {
	add := func(key, who string) {
		if trailer := [2]string{key, host.CommitText(plaintext.OneLine(who))}; who != "" {
			list = append(list, trailer)
		}
	}
	for _, who := range reporters {
		add("Reported-by", who)
	}
	for _, a := range approvers {
		add("Approved-by", a.credit())
	}
	for _, a := range reviewers {
		add("Reviewed-by", a.credit())
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
