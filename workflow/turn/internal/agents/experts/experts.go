// Package experts finds who knows the code that a session is about: the owners that CODEOWNERS names, and
// the people who wrote and changed the code. People are named. They are mentioned only if the
// repository is configured so, at most once in a session, and their email addresses are never shown.
package experts

import (
	"cmp"
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/owners"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/evidence"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

const (
	searchTimeout = 8 * time.Second // timeout of the search in a long history
	maxPlaces     = 8
	maxNamed      = 3
	maxMentions   = 2
	maxName       = 60
	maxSubject    = 80
)

// A Finder finds who knows places of the repository that is open.
type Finder struct {
	*ledger.Ledger
	Trees *worktree.Trees
}

// An Answer is who knows the places.
type Answer struct {
	Places []owners.Location
	Owners []string // as CODEOWNERS has them
	People []owners.Person
}

// Find returns who knows the places, of which it takes at most maxPlaces.
func (f Finder) Find(ctx context.Context, places []owners.Location) Answer {
	places = slices.DeleteFunc(slices.Clone(places), func(p owners.Location) bool {
		return strings.Contains(p.Path, ":") // of another repository
	})
	a := Answer{Places: places[:min(len(places), maxPlaces)]}
	here := f.Trees.Current()
	if here == nil || len(places) == 0 {
		return a
	}
	file := readOwners(here.Copy.FS())
	for _, p := range a.Places {
		for _, o := range file.Of(p.Path) {
			if !slices.Contains(a.Owners, o) {
				a.Owners = append(a.Owners, o)
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	a.People = owners.Experts(ctx, here.Mirror.Commits(), f.Session().BaseCommit, a.Places)
	return a
}

// readOwners returns the repository's CODEOWNERS file, or nil if it has none.
func readOwners(tree fs.FS) *owners.File {
	for _, at := range owners.CodeownersPaths {
		if b, err := worktree.ReadSome(tree, at, owners.MaxFile+1); err == nil {
			return owners.Parse(at, b)
		}
	}
	return nil
}

// InReport returns the places that a report cites.
func InReport(r workflow.Report) (places []owners.Location) {
	for _, e := range findings.GroundsOf(r).Evidence {
		for _, p := range evidence.PlacesOf(e.Source) {
			places = add(places, owners.Location{Path: p.Path, Line: p.First})
		}
	}
	return append(places, placesIn(r.Text, places)...)
}

func add(places []owners.Location, p owners.Location) []owners.Location {
	if slices.Contains(places, p) {
		return places
	}
	return append(places, p)
}

// placesIn returns the places in a text (path:line) that are not in known.
func placesIn(text string, known []owners.Location) (places []owners.Location) {
	for _, m := range worktree.LocationPattern.FindAllStringSubmatch(text, maxPlaces) {
		line, _ := strconv.Atoi(m[2])
		if p := (owners.Location{Path: m[1], Line: line}); !slices.Contains(known, p) {
			places = add(places, p)
		}
	}
	return places
}

// InQuestion returns the files and folders that a question names and the tree has.
func (f Finder) InQuestion(text string) (places []owners.Location) {
	tree := f.Trees.Current().Copy.FS()
	for _, m := range fileMark.FindAllStringSubmatch(text, maxPlaces) {
		line, _ := strconv.Atoi(m[2])
		path := strings.TrimRight(m[1], "./")
		if info, err := fs.Lstat(tree,
			path); err == nil && (info.Mode().IsRegular() || info.IsDir()) && path != "" {
			places = add(places, owners.Location{Path: path, Line: line})
		}
	}
	return places
}

var fileMark = regexp.MustCompile(`([A-Za-z0-9_][A-Za-z0-9_./-]*)(?::(\d{1,6}))?`)

// InChange returns the places that the session has changed so far, without new files.
func (f Finder) InChange(ctx context.Context) (places []owners.Location) {
	work := f.Trees.Current().Work
	if work == nil {
		return nil
	}
	hunks, err := work.ListHunks(ctx)
	if err != nil {
		f.Log.Warn("nobody is named for what changed: it cannot be listed", "err", err)
		return nil
	}
	for _, h := range hunks {
		if h.Kind != "added" {
			places = add(places, owners.Location{Path: h.Path, Line: h.OldStart})
		}
	}
	return places
}

// Text returns the answer for people: names in the first line, and the reasons below.
func (a Answer) Text() string {
	if len(a.People)+len(a.Owners) == 0 {
		return "Nobody can be named: neither CODEOWNERS nor the history of " + a.files() + " has a person."
	}
	var b strings.Builder
	people := a.People[:min(len(a.People), maxNamed)]
	var names []string
	for _, p := range people {
		names = append(names, nameOf(p))
	}
	b.WriteString("Who may know " + a.files() + ": ")
	switch {
	case len(names) == 0:
		b.WriteString("CODEOWNERS names " + a.ownersText() + ".")
	case len(a.Owners) == 0:
		b.WriteString(strings.Join(names, ", ") + ".")
	default:
		b.WriteString(strings.Join(names, ", ") + "; CODEOWNERS names " + a.ownersText() + ".")
	}
	for i, p := range people {
		b.WriteString("\n• " + names[i] + ": " + reason(p))
	}
	return b.String()
}

// files returns the paths of the places, of which it names at most maxNamed.
func (a Answer) files() string {
	var paths []string
	for _, p := range a.Places {
		if shown := plaintext.CodeSpan(p.Path); !slices.Contains(paths, shown) {
			paths = append(paths, shown)
		}
	}
	if more := len(paths) - maxNamed; more > 0 {
		paths = append(paths[:maxNamed], plaintext.CountNoun(more, "more file"))
	}
	return strings.Join(paths, ", ")
}

// ownersText returns the owners. An owner that is an email address is shown by the name in their
// commits, or as "somebody by an address".
func (a Answer) ownersText() string {
	var shown []string
	for _, o := range a.Owners {
		if name, _, address := strings.Cut(o, "@"); address && name != "" {
			at := slices.IndexFunc(a.People,
				func(p owners.Person) bool { return strings.EqualFold(p.Email, o) })
			if at < 0 {
				shown = append(shown, "somebody by an address")
			} else {
				shown = append(shown, nameOf(a.People[at]))
			}
			continue
		}
		shown = append(shown, "`"+o+"`")
	}
	return strings.Join(slices.Compact(shown), ", ")
}

func reason(p owners.Person) string {
	var parts []string
	if len(p.Lines) > 0 {
		parts = append(parts, "wrote "+plaintext.CodeSpan(p.Lines[0].String()))
	}
	if p.Commits > 0 {
		parts = append(parts, strconv.Itoa(p.Commits)+" of the newest commits")
	}
	last := "the last on " + p.Newest.When.UTC().Format(time.DateOnly)
	if s := plaintext.OneLine(plaintext.SafeLine(p.Newest.Subject, maxSubject)); s != "" {
		last += " (" + plaintext.CodeSpan(s) + ")"
	}
	return strings.Join(append(parts, last), ", ")
}

// nameOf returns a person's name without an email address, and without the characters that Slack or
// Markdown would interpret.
func nameOf(p owners.Person) string {
	name, _, _ := strings.Cut(p.Name, "@")
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*_`~[]<>()|#\\:/", r) {
			return -1
		}
		return r
	}, plaintext.SafeLine(name, maxName))
	return cmp.Or(plaintext.OneLine(name), "somebody without a name")
}

// Answered returns the line with the answer, and the row of the people whom it mentions. asks is the
// person who asked: the answer to a guest mentions nobody.
func (f Finder) Answered(ctx context.Context, a Answer, asks workflow.Person) []store.Part {
	lines := f.ProgramLine(a.Text())
	return append([]store.Part{store.Lines(lines)}, f.Mention(ctx, a, asks, &lines[0])...)
}

// Mention lets the line mention the people who know the places, if the repository is configured so, and
// returns the row that records it.
func (f Finder) Mention(
	ctx context.Context, a Answer, asks workflow.Person, line *workflow.Line,
) []store.Part {
	if asks.Guest {
		return nil
	}
	if line.Mentions = f.peopleToMention(ctx, a, asks.ID); len(line.Mentions) == 0 {
		return nil
	}
	return []store.Part{consent.Decision{
		What:    workflow.DecideMention,
		Allowed: true,
		Reason:  strings.Join(line.Mentions, " "),
		User:    asks.ID,
	}}
}

// peopleToMention returns the ids of the people to mention: members of the thread's channel whom Slack
// knows by the email address of their commits or of CODEOWNERS. It returns nil if the repository is
// not configured so, or if somebody was mentioned in the session before. It stops at the first look-up
// that Slack does not answer.
func (f Finder) peopleToMention(ctx context.Context, a Answer, asks string) (ids []string) {
	if here := f.Trees.Current(); here == nil || !here.Repository.MentionsOwners {
		return nil
	}
	before, err := f.Store.Decisions(ctx, f.Session().ID)
	if err != nil {
		f.Log.Warn("nobody is mentioned: who was mentioned before cannot be read", "err", err)
		return nil
	}
	if slices.ContainsFunc(before,
		func(d workflow.Decision) bool { return d.What == workflow.DecideMention }) {
		return nil
	}
	for _, address := range a.addresses() {
		if len(ids) == maxMentions {
			break
		}
		id, err := permission.MentionableID(ctx, f.Slack, f.Session().Thread, address)
		if err != nil {
			f.Log.Warn("nobody is mentioned: Slack does not tell who has an address (the scope "+
				"users:read.email)", "err", err)
			return ids
		}
		if id != "" && id != asks && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// addresses returns the email addresses in CODEOWNERS, followed by those of the people who know most.
func (a Answer) addresses() (all []string) {
	for _, o := range a.Owners {
		if name, _, is := strings.Cut(o, "@"); is && name != "" {
			all = append(all, o)
		}
	}
	for _, p := range a.People[:min(len(a.People), maxNamed)] {
		if strings.Contains(p.Email, "@") &&
			!slices.ContainsFunc(all, func(a string) bool { return strings.EqualFold(a, p.Email) }) {
			all = append(all, p.Email)
		}
	}
	return all
}
