package incoming

import (
	"fmt"
)

// An Attachment is a file that a person shared with a message. What Slack says of it comes
// with the event; what is in it is fetched by a turn, once, and kept with the session.
type Attachment struct {
	Number  int    // within its session, from 1; 0 before it was kept
	Message string // ts of the message that it came with
	File    string // Slack's id of it
	Name    string
	Kind    string // the media type that Slack gives, which rests on the name
	Mode    string // Slack's: hosted, snippet, canvas, external, tombstone, …
	Size    int64
	URL     string // where the app may read it
	State   AttachmentState
	Why     string // where it was not read: what is wrong with it and what to do, for people
	Media   string // where it was read: text/plain or the type of a picture, by its content
	Content []byte // where it was read, and somebody asked for it
}

// AttachmentState is how far a file was read.
type AttachmentState string

// The states of an attachment.
const (
	AttachmentNamed  AttachmentState = ""       // nobody tried
	AttachmentRead   AttachmentState = "read"   // its content is kept
	AttachmentUnread AttachmentState = "unread" // and Why says it
	AttachmentGone   AttachmentState = "gone"   // its message was deleted, and its content with it
)

// MediaText is the Media of text, whatever it is written in.
const MediaText = "text/plain"

// Ref is what agents call it.
func (a Attachment) Ref() string { return fmt.Sprintf("attachment:%d", a.Number) }

// Picture reports whether it was read and is a picture.
func (a Attachment) Picture() bool { return a.State == AttachmentRead && a.Media != MediaText }
