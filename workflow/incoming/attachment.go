package incoming

import (
	"fmt"
)

// An Attachment is a file that a person shared with a message. Its description comes with Slack's
// event. Its content is downloaded by a turn, once, and stored with the session.
type Attachment struct {
	Number  int    // number within its session, from 1; 0 before it is stored
	Message string // ts of the message that it came with
	File    string // Slack's id of the file
	Name    string
	Kind    string // the media type that Slack gives, which it derives from the name
	Mode    string // Slack's: hosted, snippet, canvas, external, tombstone, …
	Size    int64
	URL     string // URL where the app may download it
	State   AttachmentState
	Why     string // for a file that was not read: what is wrong with it and what to do, for people
	Media   string // for a file that was read: text/plain or the type of a picture, found from its content
	Content []byte // for a file that was read: its content, where the caller asked for it
}

// AttachmentState is how far a file was read.
type AttachmentState string

// The states of an attachment.
const (
	AttachmentNamed  AttachmentState = ""       // not tried yet
	AttachmentRead   AttachmentState = "read"   // its content is stored
	AttachmentUnread AttachmentState = "unread" // it could not be read; Why says why
	AttachmentGone   AttachmentState = "gone"   // its message was deleted, and its content with it
)

// MediaText is the Media of text in any encoding.
const MediaText = "text/plain"

// Ref returns the reference by which agents name the attachment.
func (a Attachment) Ref() string { return fmt.Sprintf("attachment:%d", a.Number) }

// Picture reports whether the attachment was read and is a picture.
func (a Attachment) Picture() bool { return a.State == AttachmentRead && a.Media != MediaText }
