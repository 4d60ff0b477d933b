package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// How much the first message of a thread holds of each part: it has to be one message in Slack.
const (
	maxMovedRequest  = 500
	maxMovedReport   = 1800
	maxMovedQuestion = 400
)

// movedText returns the text by which a session goes on in another channel: where it comes from, how far it
// is, the request, the newest report and the question that waits. Its first two lines are the program's own.
func (ap *Approvals) movedText(
	ctx context.Context, to workflow.Channel, p workflow.Person,
) (string, error) {
	s := ap.Session()
	state, err := ap.movedState(ctx, to)
	if err != nil {
		return "", err
	}
	lines := []string{
		fmt.Sprintf("This goes on from [a thread in %s](%s), as %s asked.", ap.channelName(ctx),
			ap.Slack.Permalink(s.Thread), p.Name),
		state,
	}
	request, err := ap.movedRequest(ctx)
	if err != nil {
		return "", err
	}
	if request != "" {
		lines = append(lines, "Asked:", request)
	}
	if s.Revision > 0 && s.Revision > s.Voided {
		report, err := ap.Store.Report(ctx, s.ID, s.Revision)
		if err != nil {
			return "", err
		}
		known := report.Text
		if !s.Phase.AwaitsConsent() { // how to answer it is no news any more
			known = findings.WithoutFooter(known)
		}
		lines = append(lines, "Known:", plaintext.CutBytes(ap.MaskShown(known), maxMovedReport))
	}
	q, err := ap.Store.Waiting(ctx, s.ID)
	if err != nil {
		return "", err
	}
	if q != nil {
		lines = append(lines, "Open question:",
			plaintext.CutBytes(ap.MaskShown(q.Text+plaintext.List(q.Options)), maxMovedQuestion))
	}
	return strings.Join(lines, "\n"), nil
}

// channelName returns the name of the thread's channel with #, or words for it.
func (ap *Approvals) channelName(ctx context.Context) string {
	from, found, err := ap.Slack.Channel(ctx, ap.Session().Thread.Channel)
	if err != nil || !found || from.Name == "" || strings.HasPrefix(ap.Session().Thread.Channel, "D") {
		return "another conversation"
	}
	return "#" + from.Name
}

// movedRequest quotes the first message of a person in the thread.
func (ap *Approvals) movedRequest(ctx context.Context) (string, error) {
	written, err := ap.Inbox().NewestWordings(ctx)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(written, func(m workflow.Message) bool {
		text := withoutAddress(m.Text)
		return permission.IsMessage(m.Kind) && text != "" && !ap.Words.Read(text).Permits()
	})
	if at < 0 {
		return quoted(ap.MaskShown(ap.Session().Title)), nil
	}
	m := written[at]
	text := ap.MaskShown(ap.Slack.Readable(ctx, withoutAddress(m.Text)))
	if name := ap.nameOfWriter(ctx, m.User); name != "" {
		text = name + ": " + text
	}
	return quoted(plaintext.CutBytes(text, maxMovedRequest)), nil
}

func quoted(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "> " + strings.ReplaceAll(plaintext.UnifyLineEnds(text), "\n", "\n> ")
}

// movedState says in one line what was approved and pushed.
func (ap *Approvals) movedState(ctx context.Context, to workflow.Channel) (string, error) {
	s := ap.Session()
	var said []string
	if pushed, err := ap.movedPush(ctx); err != nil {
		return "", err
	} else if pushed != "" {
		said = append(said, pushed)
	}
	words, err := ap.wordsNotPushed(ctx)
	if err != nil {
		return "", err
	}
	var names []string
	for _, e := range words {
		if name := plaintext.OneLine(e.UserName); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	lost, err := ap.lostApprovals(ctx, to)
	switch {
	case err != nil:
		return "", err
	case len(names) > 0:
		said = append(said, fmt.Sprintf("Revision %d is approved by %s, and not pushed yet.%s", s.Revision,
			plaintext.And(names), lost))
	case s.Phase.AwaitsConsent():
		said = append(said, fmt.Sprintf("Revision %d waits for its approval.", s.Revision))
	}
	if s.Halted != "" && s.Phase == workflow.PhaseStopped {
		said = append(said, "It is stopped.")
	}
	if s.Open {
		said = append(said, "Work is under way.")
	}
	if len(said) == 0 {
		said = append(said, "Nothing is approved or pushed.")
	}
	return strings.Join(said, " "), nil
}

// movedPush says what was pushed last, or returns an empty string.
func (ap *Approvals) movedPush(ctx context.Context) (string, error) {
	s := ap.Session()
	pushes, err := ap.Store.Pushes(ctx, s.ID)
	if err != nil {
		return "", err
	}
	for _, push := range slices.Backward(pushes) {
		if push.State != workflow.PushDone {
			continue
		}
		said := fmt.Sprintf("Pushed: %s at %s", plaintext.CodeSpan(push.Branch),
			prompt.ShortHash(push.Commit))
		pull, err := pullrequest.Register{Store: ap.Store}.Of(ctx, s.ID)
		if err != nil {
			return "", err
		}
		if pull != nil && pull.URL != "" {
			said += fmt.Sprintf(", [pull request %d](%s)", pull.Number, pull.URL)
		}
		return said + ".", nil
	}
	return "", nil
}
