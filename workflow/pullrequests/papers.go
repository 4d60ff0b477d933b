package pullrequests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// putPapers puts on an open pull request what it is to have besides its text, each once. What the host
// refuses for good is told in one line, and the pull request stays as it is.
func (f *Follower) putPapers(ctx context.Context, row pullrequest.Row, at host.Host) error {
	papers, err := f.Rows.Papers(ctx, row)
	if err != nil {
		return err
	}
	for i := range papers {
		if papers[i].State != pullrequest.Intended {
			continue
		}
		if err := f.putPaper(ctx, row, at, &papers[i]); err != nil {
			return err
		}
		failpoint.Crash("pull_request_papered")
		var said []store.Part
		waits := func(p pullrequest.Paper) bool { return p.State == pullrequest.Intended }
		if text := f.missedPapers(row, papers); text != "" && !slices.ContainsFunc(papers, waits) {
			said = append(said, f.line(text))
		}
		if err := f.Rows.EndPaper(ctx, row, papers[i], said...); err != nil {
			return err
		}
	}
	return nil
}

// putPaper asks the host for one paper, and sets what became of it. If an earlier try may have reached the
// host, it asks only for what the pull request does not have. An error leads to a retry.
func (f *Follower) putPaper(
	ctx context.Context, row pullrequest.Row, at host.Host, p *pullrequest.Paper,
) error {
	of := host.Paper(p.What)
	names := p.Names
	if p.Tried && !f.skipLookup {
		there, err := at.Look(ctx, row.Number)
		if err != nil {
			return err
		}
		names = there.Lacking(of, names)
	}
	if err := f.Rows.TryingPaper(ctx, row, p.What); err != nil {
		return err
	}
	failpoint.Crash("pull_request_paper_tried")
	var left []string
	var err error
	if len(names) > 0 {
		left, err = at.Put(ctx, row.Number, of, names)
	}
	var refused *remote.Error
	switch {
	case errors.As(err, &refused) && !refused.Retry:
		p.State = pullrequest.Refused
		p.Reason = refused.Reason + ". " + refused.Cure
	case err != nil:
		return err
	case len(left) > 0:
		p.State = pullrequest.Refused
		p.Reason = fmt.Sprintf("%s does not take %s", f.words(row).Host, plaintext.FirstOf(left, maxNames))
	default:
		p.State = pullrequest.PaperDone
	}
	return nil
}

// missedPapers returns what the thread is told of the papers that a pull request did not get, or an empty
// string. Papers that were refused for the same reason are named together.
func (f *Follower) missedPapers(row pullrequest.Row, papers []pullrequest.Paper) string {
	var reasons []string
	missed := map[string][]string{}
	for _, p := range papers {
		if p.State != pullrequest.Refused {
			continue
		}
		if missed[p.Reason] == nil {
			reasons = append(reasons, p.Reason)
		}
		missed[p.Reason] = append(missed[p.Reason], p.What)
	}
	if len(reasons) == 0 {
		return ""
	}
	var texts []string
	for _, reason := range reasons {
		texts = append(texts, fmt.Sprintf("%s: %s", strings.Join(missed[reason], " and "),
			plaintext.OneLine(reason)))
	}
	return fmt.Sprintf("%s is open, but not all of its labels and people are set. %s.", f.name(row),
		plaintext.Capitalize(strings.Join(texts, "; ")))
}
