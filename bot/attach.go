package bot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// Files follow the replies of their posting. A file is sent in three steps, and only the
// last of them, which shares it, can be seen; so a try that ended before it left nothing.
//
// What tells that a file is there is its name. The message that shares it is written by
// Slack: it takes no metadata, and the answer does not say where it is. The title is for
// people to read and to change. The name is chosen by us once, comes back with every
// message of the thread, and so it carries a mark made of the posting's key.

const (
	maxFile = 1 << 20
	// fileLooks is how often a posting's files are looked for when its replies are there:
	// Slack examines a file before it shows it, which takes a moment longer than a reply.
	fileLooks  = 3
	fileScope  = "files:write"
	fileMarker = "#file"
)

// A fileCopy is one file of a posting as it is sent.
type fileCopy struct {
	key   string // of the line that stands in for it when Slack does not take it
	mark  string // in its name
	agent string
	workflow.File
	instead []part // what is posted where Slack does not take it
}

// copies lists the files of a posting, always the same for the same posting.
func copies(p *workflow.Posting) (list []fileCopy) {
	for _, l := range p.Lines {
		for _, f := range l.Files {
			c := fileCopy{key: fmt.Sprintf("%s%s%d", p.Key, fileMarker, len(list)+1), agent: l.Agent, File: f}
			c.mark = markOf(c.key)
			list = append(list, c)
		}
	}
	return list
}

func markOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:5])
}

// shown is the name without the mark, in one line and without folders.
func (c fileCopy) shown() string {
	name := strings.NewReplacer("/", "-", `\`, "-", "`", "'").Replace(oneLine(c.Name, 100))
	return cmp.Or(name, "file.txt")
}

// marked is the name that Slack gets: plan-1f0c93ab77.md.
func (c fileCopy) marked() string {
	ext := path.Ext(c.shown())
	return strings.TrimSuffix(c.shown(), ext) + "-" + c.mark + ext
}

// unfit says why a file is not even tried; empty when it is fit.
func (c fileCopy) unfit() string {
	switch {
	case c.Text == "":
		return "it is empty"
	case len(c.Text) > maxFile:
		return "it is larger than 1 MiB"
	}
	return ""
}

// attach makes the file stand in the thread once. One that Slack never takes does not take
// the reply with it: a line in the thread says what is missing.
func (p *Poster) attach(ctx context.Context, posting *workflow.Posting, c fileCopy, there standing) error {
	if _, told := there.parts[c.key]; told {
		return p.instead(ctx, posting, c, there)
	}
	if there.has(c) {
		return nil
	}
	if err := p.Outbox.Mine(ctx, posting.Key); err != nil {
		return err
	}
	err := p.upload(ctx, posting.Thread, c)
	var refused *refusal
	if !errors.As(err, &refused) {
		return err
	}
	p.log().Error("Slack refused a file for good", "key", c.key, "name", c.shown(), "reason", refused.reason)
	text := p.render().line(workflow.Line{Agent: c.agent, Text: "`" + c.shown() + "` could not be attached: " + refused.reason + "."})
	if _, err = p.post(ctx, posting, part{key: c.key, text: text}); errors.As(err, &refused) {
		p.log().Error("Slack refused the line about it too", "key", c.key, "reason", refused.reason)
		return nil
	}
	if err != nil {
		return err
	}
	return p.instead(ctx, posting, c, there)
}

// instead posts, part by part, what a file would have held.
func (p *Poster) instead(ctx context.Context, posting *workflow.Posting, c fileCopy, there standing) error {
	for _, part := range c.instead {
		if _, posted := there.parts[part.key]; posted {
			continue
		}
		if _, err := p.post(ctx, posting, part); err != nil {
			return err
		}
	}
	return nil
}

// upload sends a file and shares it. Each step waits out a limit by itself; after any other
// failure the next try begins anew, since an address for an upload works once.
func (p *Poster) upload(ctx context.Context, thread workflow.Thread, c fileCopy) error {
	if reason := c.unfit(); reason != "" {
		return &refusal{reason}
	}
	var granted *slack.GetUploadURLExternalResponse
	err := p.Slack.patiently(ctx, func() (err error) {
		granted, err = p.Slack.api.GetUploadURLExternalContext(ctx, slack.GetUploadURLExternalParameters{FileName: c.marked(), FileSize: len(c.Text), SnippetType: c.Snippet})
		return err
	})
	if err != nil {
		return p.judgeFile(err)
	}
	err = p.Slack.patiently(ctx, func() error {
		return p.Slack.api.UploadToURL(ctx, slack.UploadToURLParameters{UploadURL: granted.UploadURL, Filename: c.marked(), Content: c.Text})
	})
	if err != nil {
		return judgeTransfer(err)
	}
	return p.judgeFile(p.Slack.patiently(ctx, func() error {
		if err := p.pace(thread.Channel).Wait(ctx); err != nil {
			return err
		}
		_, err := p.Slack.api.CompleteUploadExternalContext(ctx, slack.CompleteUploadExternalParameters{
			Files:   []slack.FileSummary{{ID: granted.FileID, Title: cmp.Or(oneLine(c.Title, 200), c.shown())}},
			Channel: thread.Channel, ThreadTimestamp: thread.TS,
		})
		return err
	}))
}

// judgeFile is judge for a file. A scope that is missing holds up a reply until somebody
// adds it; a file is not worth that.
func (p *Poster) judgeFile(err error) error {
	switch errorCode(err) {
	case "missing_scope", "no_permission":
		scope := fileScope
		var answer slack.SlackErrorResponse
		if errors.As(err, &answer) && answer.Needed != "" {
			scope = answer.Needed
		}
		return &refusal{"the app lacks the scope `" + scope + "`; add it to the app and install it again"}
	}
	var refused *refusal
	if err = p.judge(err); errors.As(err, &refused) {
		return &refusal{"Slack refuses it (" + refused.reason + ")"}
	}
	return err
}

// judgeTransfer is judge for the transfer of the content, which is answered by a status.
func judgeTransfer(err error) error {
	var status slack.StatusCodeError
	again := []int{http.StatusRequestTimeout, http.StatusTooManyRequests}
	if errors.As(err, &status) && status.Code >= 400 && status.Code < 500 && !slices.Contains(again, status.Code) {
		return &refusal{fmt.Sprintf("Slack refuses it (status %d)", status.Code)}
	}
	return fmt.Errorf("send the file: %w", err)
}

// standing is what of ours is in a thread.
type standing struct {
	parts map[string]string // key to ts
	files []string          // names
}

// has reports whether the file, or the line that stands in for it, is there.
func (s standing) has(c fileCopy) bool {
	_, told := s.parts[c.key]
	// Slack may mend a name, but it leaves letters and digits alone.
	return told || slices.ContainsFunc(s.files, func(name string) bool { return strings.Contains(name, c.mark) })
}

// awaited reports whether a file may still be on its way: the replies before it are there,
// and it is not.
func (s standing) awaited(parts []part, files []fileCopy) bool {
	missing := slices.ContainsFunc(parts, func(p part) bool { _, is := s.parts[p.key]; return !is })
	return !missing && slices.ContainsFunc(files, func(c fileCopy) bool { return !s.has(c) })
}
