package main

import (
	"archive/zip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

// dot is a PNG picture of one red pixel, in base64.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"

// attachCmd implements "attach WHO [in THREAD] TEXT FILE…": a person writes with files of the story attached.
// FILE=picture is a PNG of one pixel, FILE=zip an archive with logs/worker.log, FILE=huge has ten gigabytes,
// FILE=voice is a clip with a transcript and FILE=mute one without, FILE=elsewhere is in an external storage,
// FILE=canvas is the story's file as a canvas.
func attachCmd(_ context.Context, s *story, ts *testscript.TestScript, args []string) error {
	who := args[0]
	thread := mainThread
	args = args[1:]
	if len(args) > 3 && args[0] == "in" {
		thread, args = args[1], args[2:]
	}
	var files []slacktest.Upload
	for _, name := range args[1:] {
		f, err := uploadOf(ts, name)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	posted, err := s.Slack.Attach(s.Channel, s.People[who],
		s.mentions(strings.ReplaceAll(args[0], `\n`, "\n")), s.threads[thread], files...)
	if err != nil {
		return err
	}
	if s.threads[thread] == "" {
		s.threads[thread] = posted
	}
	s.last = posted
	s.said = time.Now()
	return nil
}

// zipOf returns a zip archive with one file.
func zipOf(name, content string) (string, error) {
	var b strings.Builder
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = io.WriteString(w, content)
	}
	err = errors.Join(err, z.Close())
	return b.String(), err
}

func uploadOf(ts *testscript.TestScript, arg string) (f slacktest.Upload, err error) {
	name, kind, _ := strings.Cut(arg, "=")
	f.Name = name
	switch kind {
	case "":
		f.Name = path.Base(name)
		f.Content = ts.ReadFile(name)
	case "picture":
		point, err := base64.StdEncoding.DecodeString(dot)
		f.Content = string(point)
		f.Mimetype = "image/png"
		return f, err
	case "zip":
		f.Content, err = zipOf("logs/worker.log", "order 7 of the archive\n")
		f.Mimetype = "application/zip"
		return f, err
	case "huge":
		f.Content = "the first line\n"
		f.Size = 10 << 30
	case "elsewhere":
		f.External = "https://drive.example.com/" + name
		f.Mimetype = "text/plain"
		f.Size = 100
	case "voice", "mute":
		f.Content = "a sound"
		f.Mimetype = "audio/mp4"
		if kind == "voice" {
			f.Transcript = &slacktest.Transcript{Preview: "guests pay a cent too much"}
		}
	case "canvas":
		f.Content = ts.ReadFile(name)
		f.Mimetype = "application/vnd.slack-docs"
		f.Filetype = "quip"
		f.Mode = "quip"
	default:
		return f, fmt.Errorf("no kind of file %q", kind)
	}
	return f, nil
}

// forwardCmd implements "forward WHO from THREAD TEXT": shares the root of another thread in the main
// thread.
func forwardCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	posted, err := s.Slack.Forward(s.Channel, s.People[args[0]], s.mentions(args[3]), s.threads[mainThread],
		s.threads[args[2]])
	if s.threads[mainThread] == "" {
		s.threads[mainThread] = posted
	}
	s.last = posted
	s.said = time.Now()
	return err
}

// unsayCmd implements "unsay", which deletes the newest message of a person, and "unsay FILE", which
// deletes a file of that name in the main thread.
func unsayCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	if len(args) == 0 {
		return s.Slack.Delete(s.Channel, s.last)
	}
	for _, m := range s.Slack.Thread(s.Channel, s.threads[mainThread]) {
		for _, f := range m.Files {
			if f.Name == args[0] {
				return s.Slack.DeleteFile(f.ID)
			}
		}
	}
	return fmt.Errorf("no file %q in the thread", args[0])
}

// links implements "links FILE": the links in the bot's messages in the main thread, one per line.
func links(_ context.Context, s *story) (string, error) {
	var b strings.Builder
	for _, m := range s.Slack.Thread(s.Channel, s.threads[mainThread]) {
		if m.BotID == s.Slack.App().BotID {
			for _, link := range regexp.MustCompile(`<[^>]*>`).FindAllString(m.Text, -1) {
				b.WriteString(link + "\n")
			}
		}
	}
	return b.String(), nil
}

// filesOptions are the stage options about files, links and mentions: "sees" (the models see pictures),
// "bare-mentions" (mention events come without files), "no-files-read" (the app lacks the scope
// files:read), "code-pages" (the repository's host shows code), "addresses" (the app has the scope
// users:read.email), "calls-owners" (people who know the code are mentioned), "calls-authors" (the author
// of the commit that brought a bug is mentioned).
var filesOptions = []string{
	"sees", "bare-mentions", "no-files-read", "code-pages", "addresses", "calls-owners", "calls-authors",
}

func withFiles(options []string, cfg *stage.Config) {
	cfg.Slack = func(c *slacktest.Config) {
		c.BareMentions = slices.Contains(options, "bare-mentions")
		if slices.Contains(options, "sign-in") {
			c.OpenID = signInApp
		}
		if slices.Contains(options, "no-files-read") {
			c.Scopes = slices.DeleteFunc(slices.Clone(c.Scopes),
				func(s string) bool { return s == "files:read" })
		}
		if slices.Contains(options, "addresses") {
			c.Scopes = append(slices.Clone(c.Scopes), "users:read.email")
		}
	}
	if before := cfg.Adjust; slices.Contains(options, "code-pages") {
		cfg.Adjust = func(s *server.Settings) {
			before(s)
			for i, r := range s.Repositories {
				s.Repositories[i].CodeURL = "https://git.example/" + r.Name + "/blob/{commit}/{path}#L{line}"
			}
		}
	}
	if before := cfg.Adjust; slices.Contains(options, "calls-owners") {
		cfg.Adjust = func(s *server.Settings) {
			before(s)
			s.Repositories[0].MentionsOwners = true
		}
	}
	if before := cfg.Adjust; slices.Contains(options, "calls-authors") {
		cfg.Adjust = func(s *server.Settings) {
			before(s)
			s.MentionAuthors = map[string]bool{s.Repositories[0].Name: true}
		}
	}
	if before := cfg.Adjust; slices.Contains(options, "sees") {
		cfg.Adjust = func(s *server.Settings) {
			before(s)
			s.Vision = map[string]bool{}
			for _, a := range s.Agents {
				s.Vision[a.Model] = true
			}
		}
	}
}
