package attachment

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// TestClipsAreHeard checks where the words of a clip come from: from Slack's transcript, from its subtitles
// if that is not all, from the endpoint of the configuration if Slack has none; and that a clip that nobody
// heard is told with what to do.
func TestClipsAreHeard(t *testing.T) {
	t.Parallel()
	o := openFetchOffice(t, slacktest.Config{})
	shared := func(name, kind, content string, transcript *slacktest.Transcript) workflow.Attachment {
		ts, err := o.Attach("bugs", o.Ada.ID, "", "", slacktest.Upload{
			File: slacktest.File{Name: name, Mimetype: kind, Transcript: transcript}, Content: content,
		})
		require.NoError(t, err)
		return o.shared(t, ts)
	}
	subtitles := shared("file.vtt", "text/vtt", "WEBVTT\n\n1\n00:00.000 --> 00:02.000\nthe total\n"+
		"is wrong\n\n00:02.000 --> 00:03.000\nfor guests\n", nil)
	spoken := func(_ context.Context, name string, clip io.Reader) (string, error) {
		content, err := io.ReadAll(clip)
		return name + " says: " + string(content), err
	}
	silent := func(context.Context, string, io.Reader) (string, error) { return " ", nil }
	broken := func(context.Context, string, io.Reader) (string, error) { return "", errors.New("status 500") }
	for name, c := range map[string]struct {
		transcript *slacktest.Transcript
		transcribe Transcribe
		reads, why string
	}{
		"a transcript": {
			&slacktest.Transcript{Preview: "it fails"}, broken, "it fails\n",
			"what is said in it, as Slack wrote it down",
		},
		"one that is being written": {
			&slacktest.Transcript{Preview: "it fails", Looks: 4}, broken, "it fails\n",
			"what is said in it, as Slack wrote it down",
		},
		"one that goes on": {
			&slacktest.Transcript{Preview: "the total", More: true, VTT: subtitles.URL}, nil,
			"the total\nis wrong\nfor guests\n", "what is said in it, as Slack wrote it down",
		},
		"one that goes on elsewhere": {
			&slacktest.Transcript{Preview: "the total", More: true, VTT: "https://example.com/file.vtt"}, nil,
			"the total\n", "what is said in it, as Slack wrote it down",
		},
		"none": {
			nil, spoken, "clip.m4a says: a sound\n", "what is said in it, as a model wrote it down",
		},
		"one that never comes": {
			&slacktest.Transcript{Looks: 99}, spoken, "clip.m4a says: a sound\n",
			"what is said in it, as a model wrote it down",
		},
		"none, and no endpoint": {
			nil, nil, "",
			"Slack has no transcript of it, and no transcription is configured; write what it says",
		},
		"none, and an endpoint that fails": {
			nil, broken, "",
			"Slack has no transcript of it, and the endpoint of transcription failed; write what it says",
		},
		"none, and nothing is said": {nil, silent, "", "nothing is said in it"},
	} {
		a := shared("clip.m4a", "audio/mp4", "a sound", c.transcript)
		require.True(t, a.Clip())
		f := textFetcher{Fetcher{Slack: o.Bot, Transcribe: c.transcribe, pause: 1}}
		got, err := f.read(t, a)
		require.NoError(t, err, name)
		require.Equal(t, c.reads, string(got.Content), name)
		require.Equal(t, c.why, got.Why, name)
		require.Equal(t, c.reads == "", got.State == workflow.AttachmentUnread, name)
	}
	a := shared("clip.m4a", "audio/mp4", "a sound", nil)
	require.NoError(t, o.DeleteFile(a.File))
	got, err := textFetcher{Fetcher{Slack: o.Bot, Transcribe: spoken}}.read(t, a)
	require.NoError(t, err)
	require.Equal(t, whyDeleted, got.Why)
}
