package event

import (
	"bytes"
	"encoding/json"

	"github.com/bobbinhq/bobbin/bot/internal/event/shown"
)

// The types here hold the few fields of Slack's JSON that the bot uses. They are parsed leniently: a field of
// an unexpected type becomes empty instead of an error. slack-go decodes whole events strictly
// and drops those that it does not understand, but a person's message must not be lost because
// Slack added a new kind of block.

// jstring is a JSON string; any other JSON value becomes empty.
type jstring string

// UnmarshalJSON stores a string, or nothing for another value. It never fails.
func (j *jstring) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*j = jstring(s)
	}
	return nil
}

// lenient holds a JSON value of type T; a value of another type becomes T's zero value.
type lenient[T any] struct{ v T }

// UnmarshalJSON stores a value of type T, or nothing for another value. It never fails.
func (l *lenient[T]) UnmarshalJSON(b []byte) error {
	var v T
	if json.Unmarshal(b, &v) == nil {
		l.v = v
	}
	return nil
}

// envelope is one frame of Socket Mode.
type envelope struct {
	ID      jstring         `json:"envelope_id"`
	Type    jstring         `json:"type"`
	Payload json.RawMessage `json:"payload"`
	Attempt lenient[int]    `json:"retry_attempt"`
}

// eventCallback is the payload of an events_api envelope.
type eventCallback struct {
	Type     jstring        `json:"type"`
	EventID  jstring        `json:"event_id"`
	APIAppID jstring        `json:"api_app_id"`
	Event    lenient[event] `json:"event"`

	raw []byte // the whole payload
}

// event is an app_mention or a message. Message is set for message_changed, Previous for message_changed and
// message_deleted.
type event struct {
	post
	Channel     jstring        `json:"channel"`
	ChannelType jstring        `json:"channel_type"`
	EventTS     jstring        `json:"event_ts"`
	DeletedTS   jstring        `json:"deleted_ts"`
	Message     lenient[*post] `json:"message"`
	Previous    lenient[*post] `json:"previous_message"`
}

// post is one message.
type post struct {
	Type        jstring          `json:"type"`
	Subtype     jstring          `json:"subtype"`
	User        jstring          `json:"user"`
	Team        jstring          `json:"team"`
	UserTeam    jstring          `json:"user_team"`
	Username    jstring          `json:"username"` // name that a bot chose for itself
	Profile     lenient[profile] `json:"bot_profile"`
	BotID       jstring          `json:"bot_id"`
	AppID       jstring          `json:"app_id"`
	Text        jstring          `json:"text"`
	TS          jstring          `json:"ts"`
	ThreadTS    jstring          `json:"thread_ts"`
	Edited      lenient[*edited] `json:"edited"`
	Files       lenient[[]file]  `json:"files"`
	Attachments attachments      `json:"attachments"`
	Blocks      json.RawMessage  `json:"blocks"`
	Room        json.RawMessage  `json:"room"` // of a huddle
}

// attachments are those of a message, and the JSON that they are read from.
type attachments struct {
	lenient[[]attachment]
	raw json.RawMessage
}

// UnmarshalJSON stores the list. It never fails.
func (a *attachments) UnmarshalJSON(b []byte) error {
	a.raw = bytes.Clone(b)
	return a.lenient.UnmarshalJSON(b)
}

// shown returns what Slack shows of the message.
func (p post) shown() shown.Message {
	raw, err := json.Marshal(struct {
		Text        string          `json:"text"`
		Subtype     string          `json:"subtype"`
		Room        json.RawMessage `json:"room,omitempty"`
		Attachments json.RawMessage `json:"attachments,omitempty"`
		Blocks      json.RawMessage `json:"blocks,omitempty"`
	}{string(p.Text), string(p.Subtype), p.Room, p.Attachments.raw, p.Blocks})
	if err != nil {
		return shown.Message{} // the parts were valid JSON before
	}
	return shown.Read(raw)
}

// profile is what an app's message says of the app.
type profile struct {
	Name  jstring `json:"name"`
	AppID jstring `json:"app_id"`
	Team  jstring `json:"team_id"`
}

type edited struct {
	User jstring `json:"user"`
}

// file is the part of https://docs.slack.dev/reference/objects/file-object that is used.
type file struct {
	ID         jstring          `json:"id"`
	Name       jstring          `json:"name"`
	Title      jstring          `json:"title"`
	Mimetype   jstring          `json:"mimetype"`
	Filetype   jstring          `json:"filetype"`
	Mode       jstring          `json:"mode"`
	Size       lenient[float64] `json:"size"`
	External   lenient[bool]    `json:"is_external"`
	Private    jstring          `json:"url_private"`
	Download   jstring          `json:"url_private_download"`
	FileAccess jstring          `json:"file_access"`
	Alt        jstring          `json:"alt_txt"`
	Transcript lenient[struct {
		Preview lenient[struct {
			Content jstring `json:"content"`
		}] `json:"preview"`
	}] `json:"transcription"`
	Subject jstring `json:"subject"`
	From    lenient[[]struct {
		Name    jstring `json:"name"`
		Address jstring `json:"address"`
	}] `json:"from"`
	Plain        jstring `json:"plain_text"`
	PreviewPlain jstring `json:"preview_plain_text"`
}

// attachment is used for the files of a message that a person shared. Package shown reads the rest.
type attachment struct {
	IsShare lenient[bool]   `json:"is_share"`
	Files   lenient[[]file] `json:"files"`
}

// slashPayload is the payload of a slash_commands envelope.
type slashPayload struct {
	Command   jstring `json:"command"`
	Text      jstring `json:"text"`
	ChannelID jstring `json:"channel_id"`
	UserID    jstring `json:"user_id"`
	TeamID    jstring `json:"team_id"`
	TriggerID jstring `json:"trigger_id"`
}

// blockActions is the payload of an interactive envelope for a button press or a menu choice.
type blockActions struct {
	Type jstring `json:"type"`
	User lenient[struct {
		ID     jstring `json:"id"`
		TeamID jstring `json:"team_id"`
	}] `json:"user"`
	Channel lenient[struct {
		ID jstring `json:"id"`
	}] `json:"channel"`
	Container lenient[struct {
		ChannelID jstring `json:"channel_id"`
		MessageTS jstring `json:"message_ts"`
		ThreadTS  jstring `json:"thread_ts"`
	}] `json:"container"`
	Message lenient[post]     `json:"message"`
	Actions lenient[[]action] `json:"actions"`
}

type action struct {
	ActionID jstring `json:"action_id"`
	Value    jstring `json:"value"`
	ActionTS jstring `json:"action_ts"`
	Selected lenient[struct {
		Value jstring `json:"value"`
	}] `json:"selected_option"`
}

// trigger holds the id that opens one modal within three seconds of the press.
type trigger struct {
	TriggerID jstring `json:"trigger_id"`
}

// viewSubmission is the payload of an interactive envelope for a submitted modal.
type viewSubmission struct {
	Type jstring `json:"type"`
	User lenient[struct {
		ID     jstring `json:"id"`
		TeamID jstring `json:"team_id"`
	}] `json:"user"`
	View lenient[struct {
		ID         jstring `json:"id"`
		CallbackID jstring `json:"callback_id"`
		Metadata   jstring `json:"private_metadata"`
		State      lenient[struct {
			Values lenient[map[string]lenient[map[string]lenient[field]]] `json:"values"`
		}] `json:"state"`
	}] `json:"view"`
}

// field is the value that was entered in one input or chosen in one menu.
type field struct {
	Value    jstring `json:"value"`
	Selected lenient[struct {
		Value jstring `json:"value"`
	}] `json:"selected_option"`
}
