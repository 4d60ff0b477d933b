package attachment

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// Transcribe returns what is said in a clip. name tells its form.
type Transcribe func(ctx context.Context, name string, clip io.Reader) (string, error)

const (
	maxClip       = 25 << 20 // bytes that endpoints of transcription take
	maxTranscript = 1 << 20
	clipLooks     = 5 // for a transcript that Slack is still writing
)

// hear writes what is said in a clip to text: as Slack wrote it down, or else as the endpoint of the
// configuration does.
func (f Fetcher) hear(
	ctx context.Context, a workflow.Attachment, dir string, text io.Writer,
) (workflow.Attachment, error) {
	info, why, err := f.clipInfo(ctx, a)
	if a.Why = why; err != nil || why != "" {
		return a, err
	}
	said, err := f.transcript(ctx, a, info, dir)
	if err != nil {
		return a, err
	}
	a.Why = "what is said in it, as Slack wrote it down"
	if said == "" {
		if said, a.Why, err = f.transcribe(ctx, a, info, dir); err != nil || said == "" {
			return a, err
		}
	}
	a.State = workflow.AttachmentRead
	a.Media = workflow.MediaText
	said = strings.ReplaceAll(strings.ToValidUTF8(said, "\uFFFD"), "\x00", "\uFFFD")
	_, err = io.WriteString(text, said+"\n")
	return a, err
}

// clipInfo returns what Slack tells of a clip, once its transcript is there or nothing says that it will be.
// why says that Slack tells nothing.
func (f Fetcher) clipInfo(
	ctx context.Context, a workflow.Attachment,
) (info *slack.File, why string, err error) {
	pause := f.pause
	if pause == 0 {
		pause = 2 * time.Second
	}
	for look := 0; ; look++ {
		err := f.Slack.Call(ctx, func() (err error) {
			info, _, _, err = f.Slack.API.GetFileInfoContext(ctx, a.File, 1, 1)
			return err
		})
		switch why := whyNoInfo(err); {
		case why != "":
			return nil, why, nil
		case err != nil:
			return nil, "", fmt.Errorf("files.info of %s: %w", a.File, err)
		case info.Transcription == nil || info.Transcription.Status != "processing" || look == clipLooks:
			return info, "", nil
		}
		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-time.After(pause):
		}
	}
}

// transcript returns what Slack wrote down of a clip, or an empty string. A preview that is not all of it is
// completed from the subtitles.
func (f Fetcher) transcript(
	ctx context.Context, a workflow.Attachment, info *slack.File, dir string,
) (string, error) {
	t := info.Transcription
	if t == nil || t.Preview == nil {
		return "", nil
	}
	said := strings.TrimSpace(t.Preview.Content)
	if t.Preview.HasMore == nil || !*t.Preview.HasMore || info.VTT == "" || !f.maySendToken(info.VTT) {
		return said, nil
	}
	spool, err := newSpool(dir)
	if err != nil {
		return "", err
	}
	defer spool.Close()
	subtitles := a
	subtitles.URL = info.VTT
	if why, err := f.download(ctx, subtitles, spool); err != nil || why != "" {
		return said, err
	}
	content, err := io.ReadAll(io.NewSectionReader(spool, 0, maxTranscript))
	if whole := readVTT(string(content)); len(whole) > len(said) {
		said = whole
	}
	return said, err
}

// readVTT returns the words of subtitles in WebVTT, without their times.
func readVTT(text string) string {
	var words []string
	inCue := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, "-->"):
			inCue = true
		case line == "":
			inCue = false
		case inCue:
			words = append(words, line)
		}
	}
	return strings.Join(words, "\n")
}

// transcribe has a clip written down by the endpoint of the configuration. why says how the text came about,
// or why there is none.
func (f Fetcher) transcribe(
	ctx context.Context, a workflow.Attachment, info *slack.File, dir string,
) (said, why string, err error) {
	const cure = "; write what it says"
	switch {
	case f.Transcribe == nil:
		return "", "Slack has no transcript of it, and no transcription is configured" + cure, nil
	case info.Size > maxClip:
		return "", "Slack has no transcript of it, and it has more than the " + bytesShown(maxClip) +
			" that are transcribed" + cure, nil
	}
	if a.URL == "" {
		a.URL = info.URLPrivateDownload
	}
	if !f.maySendToken(a.URL) {
		return "", "Slack has no transcript of it, and names an address that is not its own" + cure, nil
	}
	spool, err := newSpool(dir)
	if err != nil {
		return "", "", err
	}
	defer spool.Close()
	if why, err := f.download(ctx, a, spool); err != nil || why != "" {
		return "", why, err
	}
	said, err = f.transcribeSpool(ctx, a.Name, spool)
	switch {
	case ctx.Err() != nil:
		return "", "", ctx.Err()
	case err != nil:
		f.Slack.Log().Warn("cannot transcribe a clip", "file", a.File, "err", err)
		return "", "Slack has no transcript of it, and the endpoint of transcription failed" + cure, nil
	case said == "":
		return "", "nothing is said in it", nil
	}
	return said, "what is said in it, as a model wrote it down", nil
}

func (f Fetcher) transcribeSpool(ctx context.Context, name string, spool *os.File) (string, error) {
	said, err := f.Transcribe(ctx, name, io.NewSectionReader(spool, 0, maxClip))
	return strings.TrimSpace(said[:min(len(said), maxTranscript)]), err
}

// maySendToken reports whether the token may be sent to that address.
func (f Fetcher) maySendToken(address string) bool {
	return f.trusting || f.Slack.MaySendToken(address)
}
