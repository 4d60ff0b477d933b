package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/packages"
	"github.com/bobbinhq/bobbin/repo/proxy"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// A packageFetcher fetches what a repository names, and tells the thread of a long wait.
type packageFetcher struct {
	*ledger.Ledger
	Patience time.Duration
}

// waits are after how many times the runner's patience the thread is told that packages are
// still being fetched: 20 seconds, 2 minutes, 5 minutes.
var waits = []time.Duration{2, 12, 30}

// fetchPackages fetches what the base names. Whatever becomes of it the session goes on: where it
// fails, people are told once, and builds and tests say for themselves what they miss.
func (f packageFetcher) fetchPackages(ctx context.Context, p *Place, commit string) *packages.Packages {
	waiting, done := context.WithCancel(ctx)
	defer done()
	var names string
	how := p.Repository.Setup
	how.Folder = p.Folder()
	have, err := p.Checker.Cache.FetchPackages(ctx, commit, how, func(of string) {
		names = of
		go f.sayStillFetching(waiting, p.Repository.Name, of)
	})
	done()
	switch {
	case err != nil && ctx.Err() == nil:
		f.Log.Warn("setup", "err", err)
		f.SayIfNew(ctx, FetchFailed(p.Repository.Name, err))
	case have != nil && have.Fetched && len(have.Refused) > 0:
		f.SayIfNew(ctx, fmt.Sprintf("The packages that %s names (%s) are here. Refused on the way: %s. A host that is meant belongs under `setup.allow`.",
			p.Repository.Name, names, refusals(have.Refused)))
	}
	return have
}

// sayStillFetching tells the thread of a long wait, now and then.
func (f packageFetcher) sayStillFetching(ctx context.Context, repository, names string) {
	var past time.Duration
	for _, times := range waits {
		wait := times * cmp.Or(f.Patience, 10*time.Second)
		timer := time.NewTimer(wait - past)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		past = wait
		line := fmt.Sprintf("Fetching the packages that %s names (%s); %s so far. Builds and tests begin after it, I read meanwhile.", repository, names, wait)
		if err := f.Record(ctx, store.Lines(f.ProgramLine(line))); err != nil && ctx.Err() == nil {
			f.Log.Warn("the thread was not told of a wait", "err", err)
		}
	}
}

// FetchFailed is what people are told: what failed, how its output ends, what to do.
func FetchFailed(repository string, err error) string {
	const rest = " I go on without them; builds and tests that need them will fail."
	var e *packages.Error
	if !errors.As(err, &e) {
		return fmt.Sprintf("I could not fetch the packages that %s names: %s.", repository, prompt.FirstLine(strings.TrimPrefix(err.Error(), "setup: "))) + rest
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
		line += "\n```\n" + strings.ReplaceAll(prompt.CutBytes(e.Output, 1200), "```", "` ` `") + "\n```"
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
