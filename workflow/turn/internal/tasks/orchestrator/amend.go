package orchestrator

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// amendable are the tools whose refused calls are long, and mostly right.
var amendable = []string{
	"report_root_cause", "report_diagnosis", "report_review", "restate_request", "propose_plan",
}

// amendNote tells the model, behind a refusal, that it need not send everything again.
const amendNote = "\nCall it again with what is asked for alone: all that you leave out stays as you sent it."

// Amendable lets a call of a report's tool send only what its last refused call lacked: if a required
// argument is left out, the rest is taken from that call. past returns the conversation so far.
func Amendable(tools []model.Tool, past func() []model.Message) []model.Tool {
	tools = slices.Clone(tools)
	for i, t := range tools {
		if !slices.Contains(amendable, t.Name) {
			continue
		}
		required := requiredOf(t.Schema)
		tools[i].Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
			args = amended(past(), t.Name, required, args)
			r, err := t.Call(ctx, args)
			if r.Wrong && isObject(args) {
				r.Text += amendNote
			}
			return r, err
		}
	}
	return tools
}

// requiredOf returns the names of the arguments without which a call is refused.
func requiredOf(schema json.RawMessage) []string {
	var s struct{ Required []string }
	_ = json.Unmarshal(schema, &s) // the program wrote the schema
	return s.Required
}

func isObject(args json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(args, &object) == nil
}

// amended returns the arguments of a call, completed by those of the last call of the tool if that was
// refused and a required argument is left out.
func amended(
	messages []model.Message, tool string, required []string, args json.RawMessage,
) json.RawMessage {
	calls := map[string]model.Call{}
	var pending json.RawMessage
	for _, m := range messages {
		for _, c := range m.Calls {
			calls[c.ID] = c
		}
		c, known := calls[m.CallID]
		switch {
		case m.Role != model.ToolRole || !known || c.Name != tool:
		case m.Wrong:
			pending = completed(pending, c.Args, required)
		default:
			pending = nil
		}
	}
	return completed(pending, args, required)
}

// completed returns the newer arguments, with those of the older ones that they leave out if they are not a
// call of their own.
func completed(older, newer json.RawMessage, required []string) json.RawMessage {
	var before, now map[string]any
	if json.Unmarshal(newer, &now) != nil {
		return older // not readable, so that it says nothing
	}
	lacks := slices.ContainsFunc(required, func(name string) bool { return now[name] == nil })
	if !lacks || json.Unmarshal(older, &before) != nil {
		return newer
	}
	both, err := json.Marshal(joined(before, now))
	if err != nil {
		return newer
	}
	return both
}

// joined returns the older object with the fields of the newer one in it. Findings are joined one by
// one, by their places, and so are places of siblings, unless the pattern that finds them is another one.
func joined(older, newer map[string]any) map[string]any {
	pattern, given := newer["pattern"]
	sameShape := !given || reflect.DeepEqual(pattern, older["pattern"])
	for name, value := range newer {
		switch v := value.(type) {
		case map[string]any:
			if was, ok := older[name].(map[string]any); ok {
				older[name] = joined(was, v)
				continue
			}
		case []any:
			if was, ok := older[name].([]any); ok && (name == "places" && sameShape || name == "findings") {
				older[name] = joinedPlaces(was, v)
				continue
			}
		case nil:
			continue
		}
		older[name] = value
	}
	return older
}

// joinedPlaces returns the older places, with those of the newer ones that are new or judged otherwise.
func joinedPlaces(older, newer []any) []any {
	at := func(place any) any {
		p, _ := place.(map[string]any)
		return p["at"]
	}
	kept := slices.DeleteFunc(slices.Clone(older), func(place any) bool {
		return slices.ContainsFunc(newer, func(other any) bool {
			return reflect.DeepEqual(at(other), at(place))
		})
	})
	return append(kept, newer...)
}
