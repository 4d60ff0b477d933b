package runtime

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/endpoint"
)

// What the thread is told while a model is asked again begins with one of these.
const (
	waiting     = "The model's endpoint asks to wait"
	trying      = "The model's endpoint does not answer"
	insteadOf   = "Asking the model %s instead"
	GotNowhere  = "the worker got nowhere: "
	MostNowhere = 3 // tasks in a row whose workers got nowhere, before people are asked
)

// sayRetry hears that a model is asked again. People are told once of a wait that they
// would notice, and once that another model answers; the endpoint's own words are for the log.
func (r *Runtime) sayRetry(ctx context.Context, a model.Again) {
	r.Log.Warn("model call tried again", "model", a.Model, "instead", a.Instead, "kind", a.Kind, "reason", a.Reason, "wait", a.Wait)
	if key, text := AgainWords(a, cmp.Or(r.Trees.Patience, 10*time.Second)); key != "" {
		r.SayOnce(ctx, key, text)
	}
}

// AgainWords are what people are told, by the kind of line that it is; none of a wait that
// is shorter than patience.
func AgainWords(a model.Again, patience time.Duration) (key, text string) {
	switch {
	case a.Instead != "":
		key = fmt.Sprintf(insteadOf, a.Instead)
		return key, fmt.Sprintf("%s: %s could not answer (%s).", key, a.Model, cmp.Or(Troubles[a.Kind], string(a.Kind)))
	case a.Wait < patience:
		return "", ""
	case a.Asked:
		return waiting, fmt.Sprintf("%s %s. Nothing is lost; I go on then.", waiting, roundUp(a.Wait))
	}
	return trying, trying + " at the moment. Nothing is lost; I keep trying for a while."
}

func roundUp(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return (d + time.Second - 1).Truncate(time.Second)
}

var EndReason = map[agent.End]string{
	agent.EndSteps: "too many steps", agent.EndTime: "out of time", agent.EndSilent: "the model did not use its tools",
	agent.EndStuck: "the same step over and over", agent.EndWrong: "the model kept calling its tools wrongly",
	agent.EndMalformed: "the model kept writing calls that no tool can read", agent.EndEmpty: "the model's answers were empty",
	agent.EndCut: "the model's answers were cut short, one after another", agent.EndRefused: "the model declined to do it",
}

// Troubles are the kinds of failure in people's words; an error of the key keeps its own.
var Troubles = map[endpoint.Kind]string{
	endpoint.KindQuota: "no allowance is left", endpoint.KindUnreachable: "its endpoint does not answer",
	endpoint.KindBadAnswer: "its answers came broken", endpoint.KindRefused: "its endpoint refuses the request",
}
