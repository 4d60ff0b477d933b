package catalog

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// A Ticket is an issue that a person who may approve named in the thread.
type Ticket struct {
	Name   string // PAY-881, or #412 of the repository's host
	Closes bool   // the words say that the work closes it: "fixes #412"
	Said   bool   // the words say that it is the ticket of the work: "ticket: PAY-881"
	By     string // the person's name
	Pushed bool   // it was named before the newest push
}

// TicketsIn returns the issues of r's host and of the trackers that a message names in its writer's own
// words, not in what it quotes or shows as code, each once.
func TicketsIn(text string, r repository.Repository, trackers []*tracker.Tracker) []Ticket {
	f := &ticketFinder{repository: r}
	for _, t := range trackers {
		if t.For(r.Name) {
			f.trackers = append(f.trackers, t)
		}
	}
	plain := f.withNames(slackLink.ReplaceAllString(withoutQuotes(text), "$1"))
	for _, m := range saysTicket.FindAllStringSubmatch(plain, -1) {
		f.add(Ticket{Name: f.keyOf(m[1]+m[2], true), Said: true})
	}
	for sentence := range sentences(plain) {
		if hedges.MatchString(sentence) {
			continue
		}
		for _, m := range saysCloses.FindAllStringSubmatch(sentence, -1) {
			for _, word := range keyForm.FindAllString(m[1], -1) {
				f.add(Ticket{Name: f.keyOf(word, false), Closes: true})
			}
		}
	}
	for _, ref := range tracker.Find(f.trackers, plain) {
		f.add(Ticket{Name: f.keyOf(ref.Shown, false)})
	}
	if r.Pulls.Host != nil { // elsewhere "#12" may be anything
		for _, m := range plainNumber.FindAllStringSubmatch(plain, -1) {
			f.add(Ticket{Name: "#" + m[1]})
		}
	}
	return f.found
}

// A ticketFinder gathers the tickets of one text.
type ticketFinder struct {
	repository repository.Repository
	trackers   []*tracker.Tracker
	found      []Ticket
}

// add adds a ticket, or what is now known of one that was found before.
func (f *ticketFinder) add(t Ticket) {
	i := slices.IndexFunc(f.found, func(o Ticket) bool { return o.Name == t.Name })
	switch {
	case t.Name == "":
	case i < 0:
		f.found = append(f.found, t)
	default:
		f.found[i].Said = f.found[i].Said || t.Said
		f.found[i].Closes = f.found[i].Closes || t.Closes
	}
}

var (
	// slackLink matches a link as Slack writes it.
	slackLink = regexp.MustCompile(`<(https?://[^|>\s]+)(?:\|[^>]*)?>`)
	// keyForm matches the names of issues: PAY-881, #412, acme/shop#412.
	keyForm = regexp.MustCompile(`[A-Z][A-Z0-9_]{1,30}-\d{1,9}\b|(?:[\w.-]+(?:/[\w.-]+)*)?#\d{1,9}\b`)
	// saysTicket matches "ticket: PAY-881", "ticket: 412" and "the ticket is #412".
	saysTicket = regexp.MustCompile(`(?i)\bticket\s*(?:[:=]|\bis\b)\s*(` + keys + `)\b|` +
		`\bticket\s*[:=]\s*(\d{1,9})(?:[\s.,;!]|$)`)
	// saysCloses matches a sentence that says, at the beginning of a clause, that the work closes issues.
	saysCloses = regexp.MustCompile(`(?i)(?:^|[,;:(—-]\s*|\band\s+)` +
		`(?:(?:please|also|this|it|that|should|will|must|would|can|could|you|go ahead|yes|ok|okay|` +
		`fix it)[,:]?\s+)*` +
		`(?:fix|fixes|close|closes|resolve|resolves|implement|implements)\b:?\s+` +
		`(?:(?:issues?|tickets?|bugs?)\s+)?` +
		`((?:` + keys + `)(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)(?:` + keys + `))*)`)
	// hedges matches what makes such a sentence say less: it asks, denies, or is about a part.
	hedges = regexp.MustCompile(`(?i)\b(?:not|never|neither|nor|no|cannot|without|partly|partially|part of|` +
		`instead|unless|if|would have)\b|n['’]t\b|\?\s*$`)
	// plainNumber matches #412 where it stands alone.
	plainNumber = regexp.MustCompile(`(?:^|[\s(\[,;:])#([1-9]\d{0,8})\b`)
	// notKeys are names of standards that look like keys.
	notKeys = regexp.MustCompile(`^(?:CVE|CWE|UTF|SHA|ISO|RFC|AES|EC|MD|RSA|HTTP)-`)
)

// keys is the form of keyForm without a boundary, for use in a larger one.
const keys = `[A-Z][A-Z0-9_]{1,30}-\d{1,9}|(?:[\w.-]+(?:/[\w.-]+)*)?#\d{1,9}`

// sentences yields the sentences of a text.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, line := range strings.Split(text, "\n") {
			for _, s := range endOfSentence.Split(line, -1) {
				if !yield(strings.TrimSpace(s)) {
					return
				}
			}
		}
	}
}

var endOfSentence = regexp.MustCompile(`[.!]\s+`)

// withNames returns the text with names instead of the addresses of issues at the repository's host.
func (f *ticketFinder) withNames(text string) string {
	page, err := url.Parse(f.repository.Pulls.Web)
	if err != nil || page.Host == "" {
		return text
	}
	address := regexp.MustCompile(`(?i)https?://` + regexp.QuoteMeta(page.Host+page.Path) +
		`/(?:-/)?issues/([1-9]\d{0,8})(?:[/?#]\S*)?`)
	return address.ReplaceAllString(text, "#$1")
}

// keyOf returns the name of an issue as the program writes it, or an empty string if it is none. loose is set
// where the words say that it is one: a number suffices then, and a key in small letters.
func (f *ticketFinder) keyOf(word string, loose bool) string {
	path, number, numbered := strings.Cut(word, "#")
	switch {
	case loose && !numbered && strings.Trim(word, "0123456789") == "":
		return f.keyOf("#"+word, false)
	case loose && !numbered:
		return strings.ToUpper(word)
	case !numbered && notKeys.MatchString(word):
		return ""
	case !numbered:
		return word
	case path == "" || f.isOwn(path):
		if number = strings.TrimLeft(number, "0"); number == "" {
			return ""
		}
		return "#" + number
	}
	for _, ref := range tracker.Find(f.trackers, word) {
		return ref.Shown
	}
	return ""
}

// isOwn reports whether a path before a number is that of the repository.
func (f *ticketFinder) isOwn(path string) bool {
	page, err := url.Parse(f.repository.Pulls.Web)
	return strings.EqualFold(path, f.repository.Name) ||
		err == nil && page.Path != "" && strings.EqualFold(path, strings.Trim(page.Path, "/"))
}

// namedTickets returns the tickets that people who may approve named, or none if nobody looks for them.
func (c *Catalog) namedTickets(ctx context.Context) ([]Ticket, error) {
	if c.Tickets == nil {
		return nil, nil
	}
	return c.Tickets(ctx)
}

// workTicket returns the ticket of the work: the one that was said last to be it, otherwise the newest that
// it closes, otherwise the only one that was named.
func workTicket(all []Ticket) (t Ticket, several []string) {
	for _, counts := range []func(Ticket) bool{
		func(t Ticket) bool { return t.Said }, func(t Ticket) bool { return t.Closes },
	} {
		for _, t := range slices.Backward(all) {
			if counts(t) {
				return t, nil
			}
		}
	}
	for _, t := range all {
		if !slices.Contains(several, t.Name) {
			several = append(several, t.Name)
		}
	}
	if len(several) == 1 {
		return all[0], nil
	}
	return Ticket{}, several
}

// TicketHint returns a sentence for people that asks for a ticket, if the names of the repository have one
// and nobody who may approve has named it. It returns an empty string otherwise.
func (c *Catalog) TicketHint(ctx context.Context, r repository.Repository) (string, error) {
	needed := r.Naming.Branch.Needs(repository.NameTicket) || r.Naming.Title.Needs(repository.NameTicket)
	if !needed || c.Session().Branch != "" {
		return "", nil
	}
	all, err := c.namedTickets(ctx)
	if err != nil {
		return "", fmt.Errorf("ask for a ticket: %w", err)
	}
	if t, _ := workTicket(all); t.Name != "" {
		return "", nil
	}
	return "The names of branches and commits here need a ticket: " + sayTicket + ".", nil
}

const sayTicket = "write `ticket: PAY-881` with the right one"

// WorkTickets returns the tickets that a commit names now: those that the words say it closes, and the one of
// the work if they say so, or if names here have one.
func (c *Catalog) WorkTickets(ctx context.Context) (of Ticket, named []Ticket, err error) {
	all, err := c.namedTickets(ctx)
	if err != nil {
		return Ticket{}, nil, fmt.Errorf("tickets of the work: %w", err)
	}
	naming := c.Configured(c.Session().Repository).Naming
	of, _ = workTicket(all)
	for _, t := range all {
		written := t.Closes && !t.Pushed || t.Name == of.Name && (t.Said || naming.UsesTicket())
		if !written {
			continue
		}
		t.Closes = t.Closes && !t.Pushed
		i := slices.IndexFunc(named, func(o Ticket) bool { return o.Name == t.Name })
		if i < 0 {
			named = append(named, t)
		} else if t.Closes && !named[i].Closes {
			named[i] = t
		}
	}
	return of, named, nil
}

// A NameError says why work cannot begin: no name for its branch or its commit would be allowed.
type NameError struct{ Said string }

// Error returns what people are told.
func (e *NameError) Error() string { return e.Said }

// refuseName returns the NameError for a name that the pattern of the setting does not allow.
func (c *Catalog) refuseName(r repository.Repository, setting, name string, all []Ticket) error {
	form := r.Naming.Branch
	if setting == "title" {
		form = r.Naming.Title
	}
	again := sayTicket + ", and approve again"
	said := fmt.Sprintf("I do not begin: the %s would be %s, which %s_pattern of %s does not allow.", setting,
		plaintext.CodeSpan(name), setting, r.Name)
	switch of, several := workTicket(all); {
	case !form.Uses(repository.NameTicket):
		said += " My operator can change that."
	case of.Name != "":
		said += fmt.Sprintf(" If another ticket than %s is right, %s; otherwise my operator can change the "+
			"pattern.", plaintext.CodeSpan(of.Name), again)
	case len(several) > 1:
		said = fmt.Sprintf("I do not begin: the %s needs a ticket, and several were named (%s): %s.", setting,
			plaintext.FirstOf(codeSpans(several), mostNear), again)
	default:
		said = fmt.Sprintf("I do not begin: the %s needs a ticket (%s), and nobody who may approve has "+
			"named one: %s.", setting, plaintext.CodeSpan(form.Template), again)
	}
	return &NameError{Said: said}
}
