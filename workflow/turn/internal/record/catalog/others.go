package catalog

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// This file reads which other repositories a text says to look in, beside the session's own.

const (
	aRepository = `(?:(?:the|our|my)\s+)?` + aName + `(\s+repo(?:sitory)?\b)?`
	perhapsIn   = `(?:\s+(?:well|also|probably|perhaps|maybe|rather|just|as))*`
	aCause      = `\b(?:cause|bug|problem|fault|error|reason|culprit|issue|defect)\s+`
	looks       = `(?:look|check|search|see)\s+`
)

var (
	// alsoColon matches "also: api, web", where nothing else stands in the line.
	alsoColon = regexp.MustCompile(`(?im)(?:^|[\s(])also\s*[:=]\s*(` + aName +
		`(?:(?:\s*,\s*|\s+and\s+)` + aName + `)*)(?:,?[ \t]+please)?[.!]?[ \t]*(?:$|[;)])`)
	// besides match what may be meant beside the session's own repository: "also look in api".
	besides = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\balso\s+(?:please\s+)?` + looks + `(?:(?:in|into|at|through)\s+)?` +
			aRepository),
		regexp.MustCompile(`(?i)\b` + looks + `also\s+(?:(?:in|into|at|through)\s+)?` + aRepository),
		regexp.MustCompile(`(?i)\b` + looks + `(?:in|into|at|through)\s+` + aRepository +
			`,?\s+(?:too|also|as well)\b`),
		regexp.MustCompile(`(?i)` + aCause + `(?:may|might|could|can)` + perhapsIn +
			`\s+(?:be|lie|sit|come)` + perhapsIn + `\s+(?:in|from)\s+` + aRepository),
	}
	// causeIn matches "the bug is in api", which may also say what the request is about.
	causeIn = regexp.MustCompile(`(?i)` + aCause + `(?:must\s+(?:be|lie)|is|lies|sits|comes)` + perhapsIn +
		`\s+(?:in|from)\s+` + aRepository)

	listEnd = regexp.MustCompile(`\s*,\s*|\s+and\s+`)
)

// An AlsoNamed is what a text says of other repositories.
type AlsoNamed struct {
	Names   []string // of repositories that there are
	Unknown []string // names that none has
}

// alsoNamed returns which of the repositories a text says to look in, too.
func alsoNamed(text string, all []repository.Repository) (named AlsoNamed) {
	text = withoutExcluded(withoutQuotes(text))
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, m := range alsoColon.FindAllStringSubmatch(text, -1) {
		names := slices.DeleteFunc(listEnd.Split(m[1], -1),
			func(name string) bool { return strings.EqualFold(strings.TrimRight(name, ".!"), "please") })
		var unknown []string
		for _, name := range names {
			if found := firstOf([][]string{{"", name}}, all); found != "" {
				add(&named.Names, found)
			} else {
				unknown = append(unknown, strings.TrimRight(name, ".,;:!?/-"))
			}
		}
		if len(names) == 1 || len(unknown) < len(names) { // otherwise it is a list of something else
			for _, name := range unknown {
				add(&named.Unknown, name)
			}
		}
	}
	for _, form := range append([]*regexp.Regexp{causeIn}, besides...) {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			if found := firstOf([][]string{m}, all); found != "" {
				add(&named.Names, found)
			} else if m[2] != "" {
				add(&named.Unknown, strings.TrimRight(m[1], ".,;:!?/-"))
			}
		}
	}
	return named
}

// withoutAlso returns a text without what it says of repositories beside the session's own.
func withoutAlso(text string, all []repository.Repository) string {
	text = alsoColon.ReplaceAllStringFunc(text, func(found string) string {
		if len(alsoNamed(found, all).Names) > 0 {
			return "\n"
		}
		return found
	})
	for _, form := range besides {
		text = form.ReplaceAllStringFunc(text, func(found string) string {
			if firstOf([][]string{form.FindStringSubmatch(found)}, all) != "" {
				return " "
			}
			return found
		})
	}
	return text
}

// AlsoNamed returns which other repositories than the session's own a message of a person says to look in.
func (c *Catalog) AlsoNamed(text string) AlsoNamed {
	own := c.Session().Repository
	named := alsoNamed(text, c.allowed())
	named.Names = slices.DeleteFunc(named.Names, func(name string) bool { return name == own })
	return named
}

// Others are the other repositories than the session's own that the thread may be about.
type Others struct {
	Readable []repository.Repository // that agents may read
	Closed   []string                // names of those of which the code is not shown in the channel now
	Why      string                  // why it is not
}

// Others returns the other repositories that agents may read: not one whose code is for full members, if
// somebody else may be in the channel.
func (c *Catalog) Others(ctx context.Context) (o Others, err error) {
	own := c.Session().Repository
	o.Readable = slices.DeleteFunc(c.allowed(), func(r repository.Repository) bool { return r.Name == own })
	closed := func(r repository.Repository) bool { return r.MembersOnly }
	if !slices.ContainsFunc(o.Readable, closed) {
		return o, nil
	}
	there, err := c.Slack.Outsiders(ctx, c.Session().Thread.Channel)
	switch {
	case ctx.Err() != nil:
		return o, ctx.Err()
	case err != nil:
		c.Log.Warn("cannot see who is in the channel; no code for members is read for it", "err", err)
		o.Why = workflow.MembersUnseen
	case there:
		o.Why = workflow.OutsidersThere
	default:
		return o, nil
	}
	for _, r := range o.Readable {
		if closed(r) {
			o.Closed = append(o.Closed, r.Name)
		}
	}
	o.Readable = slices.DeleteFunc(o.Readable, closed)
	return o, nil
}

// Names returns the names of the repositories that agents may read.
func (o Others) Names() (names []string) {
	for _, r := range o.Readable {
		names = append(names, r.Name)
	}
	return names
}
