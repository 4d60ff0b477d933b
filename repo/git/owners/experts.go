package owners

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/internal/history"
)

// A History reads the commits of a repository; git.Commits is one.
type History interface {
	Log(ctx context.Context, commit, path string, n int) ([]history.Commit, error)
	Blame(ctx context.Context, commit, path string, line int) (history.Commit, error)
}

// A Location is a file, or one line of it, whose authors are wanted.
type Location struct {
	Path string
	Line int // 0: the whole file
}

func (l Location) String() string {
	if l.Line == 0 {
		return l.Path
	}
	return fmt.Sprintf("%s:%d", l.Path, l.Line)
}

// A Person is somebody who changed one of the places. Name and Email are taken from the commits, so
// anybody with push access can choose them.
type Person struct {
	Name, Email string
	Lines       []Location // lines that one of the person's commits introduced
	Commits     int        // number among the newest commits of each file
	Newest      history.Commit
	weight      float64
}

const (
	newestOf = 30 // number of a file's newest commits that are looked at
	lineIs   = 2  // number of commits that a line counts as
)

// Experts returns the people who wrote the lines and changed the files, as of a commit. It sorts them
// by how much and how recently they did. It leaves out programs, and what could not be found before ctx
// ended.
func Experts(ctx context.Context, h History, commit string, places []Location) []Person {
	people := map[string]*Person{}
	var now time.Time
	add := func(c history.Commit) *Person {
		if program(c) {
			return nil
		}
		key := strings.ToLower(cmp.Or(c.Email, c.Author))
		p := people[key]
		if p == nil {
			p = &Person{}
			people[key] = p
		}
		if c.When.After(p.Newest.When) || p.Newest.Hash == "" {
			p.Name = c.Author
			p.Email = c.Email
			p.Newest = c
		}
		return p
	}
	var files []string
	for _, at := range places {
		if !slices.Contains(files, at.Path) {
			files = append(files, at.Path)
		}
	}
	for _, path := range files {
		log, err := h.Log(ctx, commit, path, newestOf)
		if err != nil {
			continue
		}
		for i, c := range log {
			if i == 0 && c.When.After(now) {
				now = c.When
			}
			if p := add(c); p != nil {
				p.Commits++
				p.weight += recency(now, c.When)
			}
		}
	}
	for _, at := range places {
		if at.Line == 0 {
			continue
		}
		if c, err := h.Blame(ctx, commit, at.Path, at.Line); err == nil {
			if p := add(c); p != nil && !slices.Contains(p.Lines, at) {
				p.Lines = append(p.Lines, at)
				p.weight += lineIs * recency(now, c.When)
			}
		}
	}
	known := slices.Collect(maps.Values(people))
	slices.SortFunc(known, func(a, b *Person) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), b.Newest.When.Compare(a.Newest.When),
			cmp.Compare(a.Email, b.Email), cmp.Compare(a.Name, b.Name))
	})
	out := make([]Person, len(known))
	for i, p := range known {
		out[i] = *p
	}
	return out
}

// recency returns the weight of a commit of that time, which halves with each year. An impossible time
// counts as the newest.
func recency(now, when time.Time) float64 {
	years := now.Sub(when).Hours() / (365 * 24)
	return math.Pow(0.5, min(max(years, 0), 50))
}

// program reports whether a commit was made by a program, or by the host on nobody's behalf.
func program(c history.Commit) bool {
	return botName.MatchString(strings.TrimSpace(c.Author)) ||
		botAddress.MatchString(strings.TrimSpace(c.Email))
}

var (
	botName = regexp.MustCompile(`(?i)\[bot\]$|^(?:github|github actions?|dependabot|renovate|` +
		`greenkeeper|snyk|bobbin|web-flow|root)$|(?:^|[\s_-])(?:bot|robot)$`)
	botAddress = regexp.MustCompile(`(?i)\[bot\]@|^(?:noreply@github\.com|support@(?:dependabot|` +
		`github)\.com|bot@.*|.*-bot@.*|bobbin@localhost)$`)
)
