package runtime

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// noticeWaiting, trying and noticeFallback begin the lines that the thread is told
// while a model is asked again.
const (
	noticeWaiting           = "The model's endpoint asks to wait"
	noticeRetrying          = "The model's endpoint does not answer"
	noticeFallback          = "Asking the model %s instead"
	NoProgressPrefix        = "the worker got nowhere: "
	MaxTasksWithoutProgress = 3 // how many tasks in a row may end without progress before people are asked
)

// sayRetry is called when a model is asked again. It posts one line for a wait that people would
// notice, and one when another model answers. The endpoint's own words go to the log only.
func (r *Runtime) sayRetry(ctx context.Context, a model.RetryNotice) {
	r.Log.Warn("model call tried again", "model", a.Model, "instead", a.Instead, "kind", a.Kind,
		"reason", a.Reason, "wait", a.Wait)
	if key, text := RetryText(a, cmp.Or(r.Trees.NoticeAfter, 10*time.Second)); key != "" {
		r.SayOnce(ctx, key, text)
	}
}

// RetryText returns the text for people about a model that is asked again, and the key of that kind of
// line. Both are empty for a wait that is shorter than patience.
func RetryText(a model.RetryNotice, patience time.Duration) (key, text string) {
	switch {
	case a.Instead != "":
		key = fmt.Sprintf(noticeFallback, a.Instead)
		return key, fmt.Sprintf("%s: %s could not answer (%s).", key, a.Model,
			cmp.Or(FailureReasons[a.Kind], string(a.Kind)))
	case a.Wait < patience:
		return "", ""
	case a.Asked:
		return noticeWaiting, fmt.Sprintf("%s %s. Nothing is lost; I go on then.", noticeWaiting,
			roundUp(a.Wait))
	}
	return noticeRetrying, noticeRetrying + " at the moment. Nothing is lost; I keep trying for a while."
}

func roundUp(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return (d + time.Second - 1).Truncate(time.Second)
}

var EndReason = map[agent.End]string{
	agent.EndSteps:     "too many steps",
	agent.EndTime:      "out of time",
	agent.EndSilent:    "the model did not use its tools",
	agent.EndStuck:     "the same step over and over",
	agent.EndWrong:     "the model kept calling its tools wrongly",
	agent.EndMalformed: "the model kept writing calls that no tool can read",
	agent.EndEmpty:     "the model's answers were empty",
	agent.EndCut:       "the model's answers were cut short, one after another",
	agent.EndRefused:   "the model declined to do it",
}

// FailureReasons holds kinds of failure in words for people. A kind without an entry is shown by its own
// name.
var FailureReasons = map[model.Kind]string{
	model.KindQuota:       "no quota is left",
	model.KindUnreachable: "its endpoint does not answer",
	model.KindBadAnswer:   "its answers came broken",
	model.KindRefused:     "its endpoint refuses the request",
}
