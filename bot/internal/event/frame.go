package event

import (
	"cmp"
	"encoding/json"

	"github.com/bobbinhq/bobbin/workflow"
)

// A Frame is one frame of Socket Mode.
type Frame struct {
	EnvelopeID string
	Type       string // type of the envelope, such as events_api
	Payload    []byte
	Attempt    int    // of Slack to deliver it, from 0
	Event      string // type of the event in the payload, if it holds one
	EventID    string
}

// ReadFrame parses a frame as leniently as its payload. It returns false for a frame without an envelope id,
// which cannot be acknowledged.
func ReadFrame(message []byte) (f Frame, ok bool) {
	var e envelope
	if json.Unmarshal(message, &e) != nil || e.ID == "" {
		return f, false
	}
	var inner eventCallback
	_ = json.Unmarshal(e.Payload, &inner) // other payloads have no such fields, which stay empty
	return Frame{
		EnvelopeID: string(e.ID), Type: string(e.Type), Payload: e.Payload, Attempt: e.Attempt.v,
		Event: string(inner.Event.v.Type), EventID: string(inner.EventID),
	}, true
}

// HomePress returns the user, the action id and the value of a press in an App Home: of a button, or of an
// option in a menu. ok is false for any other payload.
func HomePress(kind string, payload []byte) (user string, action workflow.ActionID, value string, ok bool) {
	var p struct {
		Type jstring `json:"type"`
		User lenient[struct {
			ID jstring `json:"id"`
		}] `json:"user"`
		View lenient[struct {
			Type jstring `json:"type"`
		}] `json:"view"`
		Actions lenient[[]lenient[struct {
			ID       jstring `json:"action_id"`
			Value    jstring `json:"value"`
			Selected lenient[struct {
				Value jstring `json:"value"`
			}] `json:"selected_option"`
		}]] `json:"actions"`
	}
	if kind != "interactive" || json.Unmarshal(payload, &p) != nil || p.Type != "block_actions" ||
		p.View.v.Type != "home" || p.User.v.ID == "" || len(p.Actions.v) != 1 {
		return "", "", "", false
	}
	a := p.Actions.v[0].v
	value = string(cmp.Or(a.Value, a.Selected.v.Value))
	return string(p.User.v.ID), workflow.ActionID(a.ID), value, a.ID != ""
}

// HomeOpenedBy returns the id of the user who opened the App Home, or an empty string for any other event.
func HomeOpenedBy(kind string, payload []byte) string {
	var p struct {
		Event lenient[struct {
			Type jstring `json:"type"`
			Tab  jstring `json:"tab"`
			User jstring `json:"user"`
		}] `json:"event"`
	}
	if kind != "events_api" || json.Unmarshal(payload, &p) != nil || p.Event.v.Type != "app_home_opened" ||
		p.Event.v.Tab != "home" {
		return ""
	}
	return string(p.Event.v.User)
}
