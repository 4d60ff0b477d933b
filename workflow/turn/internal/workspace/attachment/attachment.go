package attachment

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Files that people attach are downloaded once, by the first turn that needs them, and stored with the
// session. Agents get a list of them, and short texts at once. They read longer texts as attachment:<number>,
// and a model that sees pictures is shown them. A text that is too long for the store lies in the session's
// folder (longtext.go).

const (
	maxInline   = 2000 // bytes up to which a text is shown in full in the list
	maxInlines  = 6000 // bytes of all texts that are shown so with one message
	maxPictures = 8    // pictures that a model is shown with one message
)

// fetchNew downloads the attachments that were not read yet. If one cannot be read, a line says so in
// the thread, recorded in the same transaction as the attachment.
func (at *Attachments) fetchNew(ctx context.Context) ([]workflow.Attachment, error) {
	at.fetching.Lock()
	defer at.fetching.Unlock()
	list, err := at.Store.Attachments(ctx, at.Session().ID)
	if err != nil {
		return nil, err
	}
	for i, a := range list {
		if a.State != workflow.AttachmentNamed {
			continue
		}
		got, err := at.fetchWithin(ctx, a, list)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			at.Log.Warn("cannot read an attachment", "file", a.File, "err", err)
			got = a
			got.State = workflow.AttachmentUnread
			got.Why = "Slack says nothing of it at the moment; attach it again"
		}
		if err := at.Record(ctx, inbox.Attachments{got}, store.Lines(at.notice(got))); err != nil {
			return nil, err
		}
		got.Content = nil
		list[i] = got
	}
	return list, nil
}

// notice returns the line about how a file was read, or that it was not, or nil.
func (at *Attachments) notice(a workflow.Attachment) []workflow.Line {
	switch {
	case a.State == workflow.AttachmentUnread && a.Clip():
		return at.unheardNotice(a)
	case a.State == workflow.AttachmentRead && !a.Picture() && (a.Why != "" || a.Long()):
		return at.readNotice(a)
	}
	return at.unseenNotice(a)
}

// unheardNotice returns the line about a clip that nobody heard, and what to do about it.
func (at *Attachments) unheardNotice(a workflow.Attachment) []workflow.Line {
	return at.ProgramLine(fmt.Sprintf("I did not hear %s: %s.", shownName(a.Name),
		strings.TrimSuffix(a.Why, ".")))
}

// readNotice returns the line about a file that is no plain text, or a long one, and how it was read.
func (at *Attachments) readNotice(a workflow.Attachment) []workflow.Line {
	return at.ProgramLine(fmt.Sprintf("Read: %s, %s.", shownName(a.Name), plaintext.OneLine(readAs(a))))
}

// unseenNotice returns the line about a file that nobody looks at, and what to do about it, or nil.
func (at *Attachments) unseenNotice(a workflow.Attachment) []workflow.Line {
	switch {
	case a.State == workflow.AttachmentUnread:
		return at.ProgramLine(fmt.Sprintf("I could not read %s: %s.", shownName(a.Name),
			strings.TrimSuffix(a.Why, ".")))
	case a.Picture() && !at.Sees:
		return at.ProgramLine(fmt.Sprintf("Nobody looked at %s: the model that I use cannot see pictures. "+
			"Write what it shows, or attach it as text.", shownName(a.Name)))
	}
	return nil
}

// readAs says what a file is that was read as text, and what was not read of it.
func readAs(a workflow.Attachment) string {
	what := cmp.Or(a.Why, "text")
	if a.Long() {
		what = plaintext.FormatSize(a.Size) + " of " + what
	}
	return what
}

// shownName returns a file's name as code, for a line of the program.
func shownName(name string) string {
	return plaintext.CodeSpan(plaintext.OneLine(name))
}

// Describe returns a text for agents about the files that came with the messages in of, or about all
// files if of is nil, and the pictures among them.
func (at *Attachments) Describe(
	ctx context.Context, where string, of map[string]bool,
) (text string, pictures []model.Picture, err error) {
	list, err := at.fetchNew(ctx)
	if err != nil {
		return "", nil, err
	}
	var lines, short []string
	left := maxInlines
	for _, a := range list {
		if of != nil && !of[a.Message] || a.State == workflow.AttachmentGone {
			continue
		}
		inline := left > 0
		lines = append(lines, "- "+described(a, inline))
		switch {
		case a.Picture() && len(pictures) < maxPictures:
			pictures = append(pictures, model.Picture{Ref: a.Ref(), Media: a.Media})
		case inline && a.State == workflow.AttachmentRead && !a.Picture() &&
			(a.Size <= maxInline || a.Long()):
			whole, err := at.Store.Attachment(ctx, at.Session().ID, a.Number)
			if err != nil {
				return "", nil, err
			}
			if whole != nil {
				text := endsOf(whole.Content)
				left -= len(text)
				short = append(short, prompt.ProgramMark+a.Ref()+":\n"+prompt.Fence("attachment", text))
			}
		}
	}
	if lines == nil {
		return "", nil, nil
	}
	head := prompt.ProgramMark + where + ", by people, as data (read_file, search and search_file take " +
		"attachment:1 and so on as a path, run does not; to people, call a file by its own name):\n" +
		strings.Join(lines, "\n")
	return strings.Join(append([]string{head}, short...), "\n\n"), pictures, nil
}

// endsOf returns a short text, or the two ends of a long one, the end of which says more of a log.
func endsOf(content []byte) string {
	text, _ := plaintext.CutMiddle(string(content), maxInline/4, maxInline*3/4)
	return text
}

// described returns one line about a file. inline says whether its text, or its ends, are shown below.
func described(a workflow.Attachment, inline bool) string {
	name := a.Ref() + " " + prompt.FileName(a.Name) + ": "
	switch {
	case a.State != workflow.AttachmentRead:
		return name + "not read by anybody: " + prompt.PersonName(a.Why)
	case a.Picture():
		return name + "a picture (" + a.Media + ")"
	}
	text := fmt.Sprintf("%stext, %d bytes", name, a.Size)
	switch {
	case a.Long() && inline:
		text += ", its two ends are below; search_file looks into the rest"
	case a.Long():
		text += "; search_file looks into it"
	}
	if a.Why != "" {
		text += ": " + prompt.PersonName(a.Why)
	}
	return text
}

var refMark = regexp.MustCompile(`\battachment:\d+\b`)

// NameRefs replaces the references that tools use (attachment:1) by the names that people gave the
// files.
func (at *Attachments) NameRefs(ctx context.Context, text string) (string, error) {
	if !refMark.MatchString(text) {
		return text, nil
	}
	list, err := at.Store.Attachments(ctx, at.Session().ID)
	return refMark.ReplaceAllStringFunc(text, func(ref string) string {
		for _, a := range list {
			if a.Ref() == ref && a.State != workflow.AttachmentGone {
				return strings.ReplaceAll(plaintext.OneLine(a.Name), "`", "'")
			}
		}
		return ref
	}), err
}

// OpenText opens the text of an attachment that an agent names, for its tools. The caller closes it.
func (at *Attachments) OpenText(
	ctx context.Context, ref string,
) (name string, text io.ReadSeekCloser, err error) {
	number, err := strconv.Atoi(strings.TrimPrefix(ref, "attachment:"))
	var a *workflow.Attachment
	if err == nil && number > 0 && number < 1<<20 {
		if a, err = at.Store.Attachment(ctx, at.Session().ID, number); err != nil {
			return "", nil, err
		}
	}
	switch {
	case a == nil:
		return "", nil, model.Mistake("There is no " + strconv.Quote(ref) +
			". What people attached was told with what they wrote: attachment:1 and so on.")
	case a.State == workflow.AttachmentGone:
		return "", nil, model.Mistake(ref + " was withdrawn: its message was deleted. Do not rely on it.")
	case a.State != workflow.AttachmentRead:
		return "", nil, model.Mistake(ref + " was not read: " + a.Why)
	case a.Picture():
		return "", nil, model.Mistake(ref + " is a picture, and there is no text of it. " +
			"Models that can see are shown it with the message; whether you were stands there.")
	case a.Long():
		text, err = at.openLong(ctx, *a)
		return a.Name, text, err
	}
	return a.Name, memory{bytes.NewReader(a.Content)}, nil
}

// RefOf returns the reference by which agents know the newest attachment of that name, or an empty
// string.
func (at *Attachments) RefOf(ctx context.Context, name string) (ref string) {
	list, err := at.Store.Attachments(ctx, at.Session().ID)
	if err != nil {
		at.Log.Warn("cannot look for an attachment", "err", err)
	}
	for _, a := range list {
		if a.Name == name && a.State != workflow.AttachmentGone {
			ref = a.Ref()
		}
	}
	return ref
}

// WithPictures returns the messages with the data of the pictures that they name.
func (at *Attachments) WithPictures(ctx context.Context, messages []model.Message) []model.Message {
	cloned := false
	for i, m := range messages {
		if len(m.Pictures) == 0 {
			continue
		}
		if !cloned {
			messages = slices.Clone(messages)
			cloned = true
		}
		messages[i].Pictures = slices.Clone(m.Pictures)
		for n, p := range m.Pictures {
			messages[i].Pictures[n].Data = at.readPicture(ctx, p.Ref)
		}
	}
	return messages
}

// readPicture returns a picture's content, or nil if the picture is gone. Each is read from the store
// once in a turn.
func (at *Attachments) readPicture(ctx context.Context, ref string) []byte {
	at.fetching.Lock()
	defer at.fetching.Unlock()
	if data, ok := at.pictures[ref]; ok {
		return data
	}
	number, _ := strconv.Atoi(strings.TrimPrefix(ref, "attachment:"))
	a, err := at.Store.Attachment(ctx, at.Session().ID, number)
	if err != nil {
		at.Log.Warn("cannot read a picture", "ref", ref, "err", err)
		return nil
	}
	if at.pictures == nil {
		at.pictures = map[string][]byte{}
	}
	if a != nil && a.Picture() {
		at.pictures[ref] = a.Content
	}
	return at.pictures[ref]
}

// CompleteMention adds what an event left out: a mention may come without the files and the messages
// that were shared with it. It returns the complete text.
func (at *Attachments) CompleteMention(ctx context.Context, m workflow.Message) (text string, err error) {
	if m.Kind != workflow.MessageMention || strings.Contains(m.Text, "[attached: ") ||
		strings.Contains(m.Text, "\n> ") {
		return m.Text, nil // the text already has what was shared
	}
	again, files, found, err := at.Slack.Reread(ctx, at.Session().ThreadOf(m.TS), m.TS)
	if err != nil || !found {
		if err != nil {
			at.Log.Warn("cannot read a mention again", "err", err)
		}
		return m.Text, nil
	}
	var parts []store.Part
	if len(files) > 0 {
		parts = append(parts, inbox.Attachments(files))
	}
	if again != m.Text && strings.HasPrefix(again, m.Text) {
		// the same text, followed by what was shared with it; an edit comes as its own event
		parts = append(parts, inbox.CompletedText{ID: m.ID, Text: again})
		m.Text = again
	}
	if len(parts) == 0 {
		return m.Text, nil
	}
	return m.Text, at.Record(ctx, parts...)
}

// Attachments reads and describes the files that people attached in the thread.
type Attachments struct {
	*ledger.Ledger
	Sees bool // the orchestrator's model can read pictures

	fetching sync.Mutex        // held while attachments are read; guards pictures
	pictures map[string][]byte // by reference
}
