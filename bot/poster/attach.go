package poster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/workflow"
)

// Files follow the replies of their posting. An upload takes three calls, and only the last, which shares the
// file, has a visible effect. So a try that ended earlier leaves no trace in the thread.
//
// A file is recognised by its name. Slack itself writes the message that shares the file, without
// metadata, and the response does not say where that message is. People may change the file's title. Its
// name is chosen by us, cannot be changed, and is part of every message in the thread, so it contains a
// mark made of the posting's key.

const (
	// fileLooks is how often a posting's files are looked up once its replies are in the thread: Slack
	// examines a file before it shows it, which takes a moment longer than a reply.
	fileLooks = 3
	fileScope = "files:write"
)

// attachFile shares the file in the thread once. If Slack refuses the file permanently, the reply stays, and
// a line in the thread says what is missing.
func (p *Poster) attachFile(
	ctx context.Context, posting *workflow.Posting, c render.File, there foundInThread,
) error {
	if _, told := there.parts[c.Key]; told {
		return p.postInstead(ctx, posting, c, there)
	}
	if there.has(c) {
		return nil
	}
	if err := p.Outbox.CheckOwner(ctx, posting.Key); err != nil {
		return err
	}
	err := p.uploadFile(ctx, posting.Thread, c)
	var refused *refusal
	if !errors.As(err, &refused) {
		return err
	}
	p.log().Error("Slack refused a file for good", "key", c.Key, "name", c.DisplayName(),
		"reason", refused.reason)
	failed := strings.TrimSpace("`" + c.DisplayName() + "` could not be attached: " + refused.reason + ". " +
		c.Otherwise)
	text := p.style().Line(workflow.Line{Agent: c.Agent, Text: failed, Vouched: []int{0}})
	if _, err = p.post(ctx, posting, render.Part{Key: c.Key, Text: text}); errors.As(err, &refused) {
		p.log().Error("Slack refused the line about it too", "key", c.Key, "reason", refused.reason)
		return nil
	}
	if err != nil {
		return err
	}
	return p.postInstead(ctx, posting, c, there)
}

// postInstead posts the content of a refused file as replies, part by part.
func (p *Poster) postInstead(
	ctx context.Context, posting *workflow.Posting, c render.File, there foundInThread,
) error {
	for _, part := range c.Instead {
		if _, posted := there.parts[part.Key]; posted {
			continue
		}
		if _, err := p.post(ctx, posting, part); err != nil {
			return err
		}
	}
	return nil
}

// uploadFile uploads and shares a file. Each call waits out rate limits. After any other failure the next try
// starts over, since an upload URL works only once.
func (p *Poster) uploadFile(ctx context.Context, thread workflow.Thread, c render.File) error {
	if reason := c.Unfit(); reason != "" {
		return &refusal{reason}
	}
	var granted *slack.GetUploadURLExternalResponse
	err := p.Slack.Call(ctx, func() (err error) {
		granted, err = p.Slack.API.GetUploadURLExternalContext(ctx, slack.GetUploadURLExternalParameters{
			FileName:    c.MarkedName(),
			FileSize:    len(c.Content()),
			SnippetType: c.Snippet,
		})
		return err
	})
	if err != nil {
		return p.judgeFile(err)
	}
	err = p.Slack.Call(ctx, func() error {
		return p.Slack.API.UploadToURL(ctx, slack.UploadToURLParameters{
			UploadURL: granted.UploadURL,
			Filename:  c.MarkedName(),
			Content:   c.Content(),
		})
	})
	if err != nil {
		return judgeTransfer(err)
	}
	return p.judgeFile(p.Slack.Call(ctx, func() error {
		if err := p.channelPace(thread.Channel).Wait(ctx); err != nil {
			return err
		}
		_, err := p.Slack.API.CompleteUploadExternalContext(ctx, slack.CompleteUploadExternalParameters{
			Files: []slack.FileSummary{{
				ID: granted.FileID, Title: cmp.Or(mrkdwn.OneLine(c.Title, 200), c.DisplayName()),
			}},
			Channel: thread.Channel, ThreadTimestamp: thread.TS,
		})
		return err
	}))
}

// judgeFile is judgeRefusal for files. A missing scope delays a reply until a person adds the scope, but it
// refuses a file.
func (p *Poster) judgeFile(err error) error {
	switch bot.ErrorCode(err) {
	case "missing_scope", "no_permission":
		scope := fileScope
		var answer slack.SlackErrorResponse
		if errors.As(err, &answer) && answer.Needed != "" {
			scope = answer.Needed
		}
		return &refusal{"the app lacks the scope `" + scope + "`; add it to the app and install it again"}
	}
	var refused *refusal
	if err = judgeRefusal(err); errors.As(err, &refused) {
		return &refusal{"Slack refuses it (" + refused.reason + ")"}
	}
	return err
}

// judgeTransfer is judgeRefusal for the transfer of the content, whose response is only an HTTP status.
func judgeTransfer(err error) error {
	var status slack.StatusCodeError
	again := []int{http.StatusRequestTimeout, http.StatusTooManyRequests}
	if errors.As(err, &status) && status.Code >= 400 && status.Code < 500 &&
		!slices.Contains(again, status.Code) {
		return &refusal{fmt.Sprintf("Slack refuses it (status %d)", status.Code)}
	}
	return fmt.Errorf("send the file: %w", err)
}

// foundInThread lists the parts and files of the bot that are in a thread.
type foundInThread struct {
	parts map[string]string // ts of the message, by key
	files []string          // file names
}

// has reports whether the file, or the line that replaces it, is in the thread.
func (f foundInThread) has(c render.File) bool {
	_, told := f.parts[c.Key]
	// Slack may change a name, but it keeps letters and digits.
	return told ||
		slices.ContainsFunc(f.files, func(name string) bool { return strings.Contains(name, c.Mark) })
}

// awaited reports whether a file may still appear: all replies before it are in the thread, but it is not.
func (f foundInThread) awaited(parts []render.Part, files []render.File) bool {
	missing := slices.ContainsFunc(parts, func(p render.Part) bool {
		_, is := f.parts[p.Key]
		return !is
	})
	return !missing && slices.ContainsFunc(files, func(c render.File) bool { return !f.has(c) })
}
