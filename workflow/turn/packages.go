package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/proxy"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// waits are after how many times the runner's patience the thread is told that packages are
// still being fetched: 20 seconds, 2 minutes, 5 minutes.
var waits = []time.Duration{2, 12, 30}

// packages fetches what the base names. Whatever becomes of it the session goes on: where it
// fails, people are told once, and builds and tests say for themselves what they miss.
func (t *Trees) packages(ctx context.Context, p *place, commit string) *packages.Packages {
	waiting, done := context.WithCancel(ctx)
	defer done()
	var names string
	how := p.repository.Setup
	how.Folder = p.folder()
	have, err := p.checker.Cache.FetchPackages(ctx, commit, how, func(of string) {
		names = of
		go t.stillFetching(waiting, p.repository.Name, of)
	})
	done()
	switch {
	case err != nil && ctx.Err() == nil:
		t.log.Warn("setup", "err", err)
		t.tellNew(ctx, fetchFailed(p.repository.Name, err))
	case have != nil && have.Fetched && len(have.Refused) > 0:
		t.tellNew(ctx, fmt.Sprintf("The packages that %s names (%s) are here. Refused on the way: %s. A host that is meant belongs under `setup.allow`.",
			p.repository.Name, names, refusals(have.Refused)))
	}
	return have
}

// stillFetching tells the thread of a long wait, now and then.
func (t *Trees) stillFetching(ctx context.Context, repository, names string) {
	var past time.Duration
	for _, times := range waits {
		wait := times * cmp.Or(t.Patience, 10*time.Second)
		timer := time.NewTimer(wait - past)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		past = wait
		line := fmt.Sprintf("Fetching the packages that %s names (%s); %s so far. Builds and tests begin after it, I read meanwhile.", repository, names, wait)
		if err := t.Record(ctx, store.Lines(t.program(line))); err != nil && ctx.Err() == nil {
			t.log.Warn("the thread was not told of a wait", "err", err)
		}
	}
}

// fetchFailed is what people are told: what failed, how its output ends, what to do.
func fetchFailed(repository string, err error) string {
	const rest = " I go on without them; builds and tests that need them will fail."
	var e *packages.Error
	if !errors.As(err, &e) {
		return fmt.Sprintf("I could not fetch the packages that %s names: %s.", repository, firstLine(strings.TrimPrefix(err.Error(), "setup: "))) + rest
	}
	line := fmt.Sprintf("I could not fetch the packages that %s names (%s): %s.", repository, e.Names, e.Why)
	if len(e.Refused) > 0 {
		line += " Refused: " + refusals(e.Refused) + "."
	}
	if e.Cure != "" {
		line += " " + strings.ToUpper(e.Cure[:1]) + e.Cure[1:] + " (whoever runs me, in the configuration)."
	}
	line += rest
	if e.Output != "" {
		line += "\n```\n" + strings.ReplaceAll(cutTo(e.Output, 1200), "```", "` ` `") + "\n```"
	}
	return line
}

// refusals are in code marks: the names are strangers' words.
func refusals(list []proxy.Refusal) string {
	var out []string
	for _, r := range list {
		out = append(out, fmt.Sprintf("`%s` (%s)", strings.ReplaceAll(r.Target, "`", "'"), r.Why))
	}
	return strings.Join(out, ", ")
}

// tellNew says a line unless one that begins with the same sentence was said in this session.
func (l *Ledger) tellNew(ctx context.Context, text string) {
	first, _, _ := strings.Cut(text, ". ")
	said, err := l.Store.Lines(ctx, l.Session().ID)
	if err == nil && slices.ContainsFunc(said, func(l store.Said) bool { return strings.HasPrefix(l.Text, first) }) {
		return
	}
	if err := cmp.Or(err, l.Record(ctx, store.Lines(l.program(text)))); err != nil {
		l.log.Warn("the thread was not told of the packages", "err", err)
	}
}
