package attachment

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/slack-go/slack"
	"golang.org/x/net/html"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/attachment/extract"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/workflow"
)

// A Fetcher downloads files that people attached to messages.
type Fetcher struct {
	Slack *bot.Slack
	// Transcribe returns what is said in a clip. nil: only clips that Slack has written down are read.
	Transcribe Transcribe

	trusting bool          // tests only: send the token to any host and follow redirects
	pause    time.Duration // between two looks for a transcript; 0: two seconds
}

const (
	maxFetched    = 200 << 20 // bytes of any file
	maxFetchedPic = 5 << 20
	maxCanvas     = 5 << 20
	fetchTime     = 5 * time.Minute // of one download
	fetchTries    = 3
	readScope     = "files:read"
)

// Fetch reads an attached file: the content of a picture into the attachment, the text of any other file into
// text. dir is a folder for what is downloaded meanwhile; nothing stays in it. A file that cannot be read is
// not an error: the attachment says why, and how to solve it. An error means that the fetch failed and has to
// be retried.
func (f Fetcher) Fetch(
	ctx context.Context, a workflow.Attachment, dir string, text io.Writer,
) (workflow.Attachment, error) {
	a.State = workflow.AttachmentUnread
	if a.URL == "" && a.Mode != event.ModeExternal && a.Mode != "tombstone" && a.Mode != "hidden_by_limit" {
		var err error
		if a, err = f.readInfo(ctx, a); err != nil || a.Why != "" {
			return a, err
		}
	}
	if a.Why = f.unfetchable(a); a.Why != "" {
		return a, nil
	}
	if a.Clip() {
		return f.hear(ctx, a, dir, text)
	}
	spool, err := newSpool(dir)
	if err != nil {
		return a, err
	}
	defer spool.Close()
	if a.Why, err = f.download(ctx, a, spool); err != nil || a.Why != "" {
		return a, err
	}
	return judgeContent(ctx, a, spool, dir, text)
}

// newSpool creates a file without a name for one download.
func newSpool(dir string) (*os.File, error) {
	spool, err := os.CreateTemp(dir, "download-")
	if err != nil {
		return nil, fmt.Errorf("make room for a file: %w", err)
	}
	if err := os.Remove(spool.Name()); err != nil {
		_ = spool.Close()
		return nil, fmt.Errorf("make room for a file: %w", err)
	}
	return spool, nil
}

// download writes the content of a file to spool. It returns why that cannot be done, or an empty string.
func (f Fetcher) download(
	ctx context.Context, a workflow.Attachment, spool *os.File,
) (why string, err error) {
	var got fetched
	_, err = backoff.Retry(ctx, func() (_ struct{}, err error) {
		got, err = f.fetchOnce(ctx, a, spool)
		return struct{}{}, err
	}, backoff.WithMaxTries(fetchTries))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		f.Slack.Log().Warn("cannot fetch a file", "file", a.File, "err", err)
		return "Slack did not hand it over (" + got.describe() + "); attach it again", nil
	}
	return got.why, nil
}

// readInfo calls files.info for the fields that an event leaves out.
func (f Fetcher) readInfo(ctx context.Context, a workflow.Attachment) (workflow.Attachment, error) {
	var info *slack.File
	err := f.Slack.Call(ctx, func() (err error) {
		info, _, _, err = f.Slack.API.GetFileInfoContext(ctx, a.File, 1, 1)
		return err
	})
	switch a.Why = whyNoInfo(err); {
	case a.Why != "":
	case err != nil:
		return a, fmt.Errorf("files.info of %s: %w", a.File, err)
	default:
		known := event.ReadFile(info, a.File, a.Message)
		known.Number = a.Number
		known.State = a.State
		a = known
	}
	return a, nil
}

// whyNoInfo returns what an error of files.info says about the file, or an empty string for another error.
func whyNoInfo(err error) string {
	switch code := bot.ErrorCode(err); code {
	case "":
		return ""
	case "missing_scope":
		return lacksReadScope
	case "file_not_found", "file_deleted":
		return whyDeleted
	default:
		return "Slack says nothing of it (" + code + "); attach it again"
	}
}

const (
	lacksReadScope = "the app lacks the scope `" + readScope +
		"`; add it to the app and install it again, then attach the file once more"
	whyDeleted = "it was deleted; attach it again if it matters"
)

// unfetchable returns why a file cannot be fetched, judged by its description from Slack, or an empty string.
func (f Fetcher) unfetchable(a workflow.Attachment) string {
	most := int64(maxFetched)
	if strings.HasPrefix(a.Kind, "image/") {
		most = maxFetchedPic
	}
	switch {
	case a.Mode == event.ModeExternal:
		return "it lies outside of Slack, and I do not go there; paste what matters, " +
			"or attach the file itself"
	case a.Mode == "tombstone":
		return whyDeleted
	case a.Mode == "hidden_by_limit":
		return "Slack hides it, since the workspace is past its plan's limit; attach it again"
	case isUnreadableKind(a.Kind) && a.Mode != event.ModeCanvas:
		return fmt.Sprintf("it is neither text nor a picture that I can read (%s); "+
			"attach what matters in it as text", a.Kind)
	case a.Size > most:
		return fmt.Sprintf("it has %s, and I read %s at most; attach the part that matters",
			bytesShown(a.Size), bytesShown(most))
	case !f.maySendToken(a.URL):
		return "Slack names an address for it that is not Slack's own, where I do not send my token; " +
			"attach the file itself"
	}
	return ""
}

// isUnreadableKind reports whether files of a media type cannot be read here. It returns false for an
// unspecific media type, whose file is judged by its content.
func isUnreadableKind(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	family, what, _ := strings.Cut(kind, "/")
	switch family {
	case "font", "model":
		return true
	case "image":
		return !slices.Contains([]string{"png", "jpeg", "jpg", "gif", "webp", "svg+xml"}, what)
	case "application":
		for _, known := range []string{
			"x-7z", "x-rar", "vnd.rar", "x-bzip", "x-xz", "zstd", "pdf", "msword", "vnd.ms-", "java-archive",
			"x-iso", "x-apple-diskimage", "vnd.android", "wasm", "x-executable", "x-msdownload",
		} {
			if strings.HasPrefix(what, known) {
				return !strings.Contains(what, "macroenabled") // of the kind of today's documents
			}
		}
	}
	return false
}

// fetched is the result of one download.
type fetched struct {
	why    string // final reason: another try would have the same result
	status int
}

func (f fetched) describe() string {
	if f.status == 0 {
		return "no answer"
	}
	return "status " + strconv.Itoa(f.status)
}

// fetchOnce downloads a file to spool, in place of what is there.
func (f Fetcher) fetchOnce(
	ctx context.Context, a workflow.Attachment, spool *os.File,
) (got fetched, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL, nil)
	if err != nil {
		return fetched{why: "its address makes no sense; attach it again"}, nil
	}
	f.Slack.SetToken(request)
	request.Header.Set("Accept-Encoding", "identity") // a compressed response could grow beyond the limit
	client := *f.Slack.HTTP()
	client.Timeout = fetchTime
	if !f.trusting {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	response, err := client.Do(request)
	if err != nil {
		return got, err
	}
	defer response.Body.Close()
	got.status = response.StatusCode
	switch {
	case got.status >= 300 && got.status < 400:
		got.why = whySignIn // without access, files.slack.com leads to the sign-in page
		return got, nil
	case got.status == http.StatusTooManyRequests:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return got, backoff.RetryAfter(min(max(seconds, 1), 60))
	case got.status == http.StatusNotFound, got.status == http.StatusGone:
		got.why = whyDeleted
		return got, nil
	case got.status == http.StatusUnauthorized, got.status == http.StatusForbidden:
		got.why = whySignIn
		return got, nil
	case got.status != http.StatusOK:
		return got, fmt.Errorf("status %d", got.status)
	}
	if err := spool.Truncate(0); err != nil {
		return got, err
	}
	size, err := io.Copy(io.NewOffsetWriter(spool, 0), io.LimitReader(response.Body, maxFetched+1))
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return got, err
	case size > maxFetched:
		got.why = fmt.Sprintf("it has more than the %s that I read at most; attach the part that matters",
			bytesShown(maxFetched))
	case kind == "text/html":
		page, err := io.ReadAll(io.NewSectionReader(spool, 0, maxCanvas))
		if err != nil {
			return got, err
		}
		if isSignInPage(a, page, size) {
			got.why = whySignIn
		}
	}
	return got, nil
}

const whySignIn = "Slack showed its sign-in page instead of it: " + lacksReadScope

// isSignInPage reports whether a page that was downloaded is Slack's sign-in page. An attached HTML file has
// the size that Slack reported, while a canvas has no known size and is searched for a sign-in form.
func isSignInPage(a workflow.Attachment, page []byte, size int64) bool {
	if a.Mode == event.ModeCanvas {
		page = bytes.ToLower(page)
		return bytes.Contains(page, []byte("<form")) && bytes.Contains(page, []byte("signin"))
	}
	return size != a.Size
}

// judgeContent reads what was downloaded as a picture or as text, judged by the content itself, not by the
// file's name. The text goes to text; Why says of a file that is no plain text what it is, and what was not
// read of it.
func judgeContent(
	ctx context.Context, a workflow.Attachment, spool *os.File, dir string, text io.Writer,
) (workflow.Attachment, error) {
	info, err := spool.Stat()
	if err != nil {
		return a, fmt.Errorf("read a file: %w", err)
	}
	if a.Mode == event.ModeCanvas {
		if done, err := judgeCanvas(&a, spool, text); done || err != nil {
			return a, err
		}
	}
	got, err := extract.Read(ctx, extract.File{Name: a.Name, Data: spool, Size: info.Size()}, dir, text,
		extract.Default)
	switch {
	case err != nil:
		return a, fmt.Errorf("read a file: %w", err)
	case got.Why != "":
		a.Why = got.Why
		return a, nil
	case got.Picture != "":
		return judgePicture(a, got.Picture, spool, info.Size())
	}
	a.State = workflow.AttachmentRead
	a.Media = workflow.MediaText
	a.Why = got.What
	if len(got.Left) > 0 {
		a.Why = cmp.Or(got.What, "text") + "; not read: " + strings.Join(got.Left, ", ")
	}
	return a, nil
}

// judgeCanvas writes the text of a canvas, which Slack delivers as HTML. done is false for a picture.
func judgeCanvas(a *workflow.Attachment, spool *os.File, text io.Writer) (done bool, err error) {
	page, err := io.ReadAll(io.NewSectionReader(spool, 0, maxCanvas))
	if err != nil || strings.HasPrefix(http.DetectContentType(page), "image/") {
		return false, err
	}
	words := strings.ReplaceAll(strings.ToValidUTF8(pageText(page), "\uFFFD"), "\x00", "\uFFFD")
	if words == "" {
		a.Why = "it is empty"
		return true, nil
	}
	a.State = workflow.AttachmentRead
	a.Media = workflow.MediaText
	_, err = io.WriteString(text, words)
	return true, err
}

// judgePicture reads a picture.
func judgePicture(
	a workflow.Attachment, media string, spool *os.File, size int64,
) (_ workflow.Attachment, err error) {
	if size > maxFetchedPic {
		a.Why = fmt.Sprintf("it has more than the %s that I read at most of a picture; attach a smaller one",
			bytesShown(maxFetchedPic))
		return a, nil
	}
	a.State = workflow.AttachmentRead
	a.Media = media
	a.Size = size
	a.Content, err = io.ReadAll(io.NewSectionReader(spool, 0, size))
	return a, err
}

// pageText returns the text of a canvas, which Slack delivers as HTML. Each block becomes a line.
func pageText(page []byte) string {
	tokens := html.NewTokenizer(bytes.NewReader(page))
	var b strings.Builder
	hidden := 0
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			lines := strings.Split(b.String(), "\n")
			for i, line := range lines {
				lines[i] = strings.Join(strings.Fields(line), " ")
			}
			return strings.TrimSpace(strings.Join(slices.Compact(lines), "\n"))
		case html.TextToken:
			if hidden == 0 {
				b.Write(tokens.Text())
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			switch string(name) {
			case "script", "style", "head", "template":
				if kind == html.StartTagToken {
					hidden++
				} else if kind == html.EndTagToken && hidden > 0 {
					hidden--
				}
			case "p", "div", "li", "br", "tr", "h1", "h2", "h3", "pre", "ul", "ol", "blockquote":
				b.WriteByte('\n')
			}
		}
	}
}

func bytesShown(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}} {
		if n >= unit.size {
			return fmt.Sprintf("%.4g %s", float64(n)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
