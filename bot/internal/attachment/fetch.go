package attachment

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cenkalti/backoff/v5"
	"github.com/slack-go/slack"
	"golang.org/x/net/html"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/workflow"
)

// A Fetcher downloads files that people attached to messages.
type Fetcher struct {
	Slack *bot.Slack

	trusting bool // tests only: send the token to any host and follow redirects
}

const (
	maxFetchedText = 2 << 20
	maxFetchedPic  = 5 << 20
	fetchTries     = 3
	readScope      = "files:read"
)

// Fetch reads the content of an attached file. A file that cannot be read is not an error: the attachment says
// why, and how to solve it. An error means that the fetch failed and has to be retried.
func (f Fetcher) Fetch(ctx context.Context, a workflow.Attachment) (workflow.Attachment, error) {
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
	var got fetched
	_, err := backoff.Retry(ctx, func() (_ struct{}, err error) {
		got, err = f.fetchOnce(ctx, a)
		return struct{}{}, err
	}, backoff.WithMaxTries(fetchTries))
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	if err != nil {
		f.Slack.Log().Warn("cannot fetch a file", "file", a.File, "err", err)
		a.Why = "Slack did not hand it over (" + got.describe() + "); attach it again"
		return a, nil
	}
	if a.Why = got.why; a.Why != "" {
		return a, nil
	}
	return judgeContent(a, got.content), nil
}

// readInfo calls files.info for the fields that an event leaves out.
func (f Fetcher) readInfo(ctx context.Context, a workflow.Attachment) (workflow.Attachment, error) {
	var info *slack.File
	err := f.Slack.Call(ctx, func() (err error) {
		info, _, _, err = f.Slack.API.GetFileInfoContext(ctx, a.File, 1, 1)
		return err
	})
	switch code := bot.ErrorCode(err); {
	case code == "missing_scope":
		a.Why = lacksReadScope
	case code == "file_not_found", code == "file_deleted":
		a.Why = whyDeleted
	case code != "":
		a.Why = "Slack says nothing of it (" + code + "); attach it again"
	case err != nil:
		return a, fmt.Errorf("files.info of %s: %w", a.File, err)
	default:
		known := event.ReadFile(info, a.File, a.Message)
		known.Number, known.State = a.Number, a.State
		a = known
	}
	return a, nil
}

const (
	lacksReadScope = "the app lacks the scope `" + readScope + "`; add it to the app and install it again, then attach the file once more"
	whyDeleted     = "it was deleted; attach it again if it matters"
)

// unfetchable returns why a file cannot be fetched, judged by its description from Slack, or an empty string.
func (f Fetcher) unfetchable(a workflow.Attachment) string {
	most := int64(maxFetchedText)
	if strings.HasPrefix(a.Kind, "image/") {
		most = maxFetchedPic
	}
	switch {
	case a.Mode == event.ModeExternal:
		return "it lies outside of Slack, and I do not go there; paste what matters, or attach the file itself"
	case a.Mode == "tombstone":
		return whyDeleted
	case a.Mode == "hidden_by_limit":
		return "Slack hides it, since the workspace is past its plan's limit; attach it again"
	case isUnreadableKind(a.Kind) && a.Mode != event.ModeCanvas:
		return fmt.Sprintf("it is neither text nor a picture that I can read (%s); attach what matters in it as text", a.Kind)
	case a.Size > most:
		return fmt.Sprintf("it has %s, and I read %s at most; attach the part that matters", bytesShown(a.Size), bytesShown(most))
	case !f.trusting && !f.Slack.MaySendToken(a.URL):
		return "Slack names an address for it that is not Slack's own, where I do not send my token; attach the file itself"
	}
	return ""
}

// isUnreadableKind reports whether files of a media type cannot be read here. It returns false for an
// unspecific media type, whose file is judged by its content.
func isUnreadableKind(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	family, what, _ := strings.Cut(kind, "/")
	switch family {
	case "video", "audio", "font", "model":
		return true
	case "image":
		return !slices.Contains([]string{"png", "jpeg", "jpg", "gif", "webp", "svg+xml"}, what)
	case "application":
		for _, known := range []string{"zip", "gzip", "x-tar", "x-7z", "x-rar", "vnd.rar", "x-bzip", "x-xz", "zstd", "pdf", "msword", "vnd.ms-", "vnd.openxmlformats", "vnd.oasis", "java-archive", "x-iso", "x-apple-diskimage", "vnd.android", "wasm", "x-executable", "x-msdownload"} {
			if strings.HasPrefix(what, known) {
				return true
			}
		}
	}
	return false
}

// fetched is the result of one download.
type fetched struct {
	content []byte
	why     string // final reason: another try would have the same result
	status  int
}

func (f fetched) describe() string {
	if f.status == 0 {
		return "no answer"
	}
	return "status " + strconv.Itoa(f.status)
}

func (f Fetcher) fetchOnce(ctx context.Context, a workflow.Attachment) (got fetched, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL, nil)
	if err != nil {
		return fetched{why: "its address makes no sense; attach it again"}, nil
	}
	f.Slack.SetToken(request)
	request.Header.Set("Accept-Encoding", "identity") // a compressed response could grow beyond the limit
	client := *f.Slack.HTTP()
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
	got.content, err = io.ReadAll(io.LimitReader(response.Body, maxFetchedPic+1))
	if err != nil {
		return got, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if kind == "text/html" && isSignInPage(a, got.content) {
		got.why = whySignIn
	}
	return got, nil
}

const whySignIn = "Slack showed its sign-in page instead of it: " + lacksReadScope

// isSignInPage reports whether a page that was downloaded is Slack's sign-in page. An attached HTML file has
// the size that Slack reported, while a canvas has no known size and is searched for a sign-in form.
func isSignInPage(a workflow.Attachment, page []byte) bool {
	if a.Mode == event.ModeCanvas {
		page = bytes.ToLower(page)
		return bytes.Contains(page, []byte("<form")) && bytes.Contains(page, []byte("signin"))
	}
	return int64(len(page)) != a.Size
}

// judgeContent stores the content as text or as a picture, judged by the content itself, not by the file's
// name.
func judgeContent(a workflow.Attachment, content []byte) workflow.Attachment {
	media, _, _ := strings.Cut(http.DetectContentType(content), ";")
	picture := slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, media)
	if a.Mode == event.ModeCanvas && !picture {
		content = []byte(pageText(content))
	}
	most := int64(maxFetchedText)
	if picture {
		most = maxFetchedPic
	}
	text, isText := decodeText(content)
	switch {
	case len(content) == 0:
		a.Why = "it is empty"
	case int64(len(content)) > most:
		a.Why = fmt.Sprintf("it has more than the %s that I read at most; attach the part that matters", bytesShown(most))
	case picture:
		a.State, a.Media, a.Content = workflow.AttachmentRead, media, content
	case !isText:
		a.Why = fmt.Sprintf("it is neither text nor a picture that I can read (%s by its content); attach what matters in it as text", media)
	default:
		a.State, a.Media, a.Content = workflow.AttachmentRead, workflow.MediaText, []byte(text)
	}
	if a.State == workflow.AttachmentRead {
		a.Size = int64(len(a.Content))
	}
	return a
}

// decodeText returns content as UTF-8, or false if it is not text. It also reads UTF-16 with a byte order mark,
// which Windows shells write.
func decodeText(content []byte) (string, bool) {
	for mark, order := range map[string]int{"\xff\xfe": 0, "\xfe\xff": 1} {
		if rest, is := bytes.CutPrefix(content, []byte(mark)); is {
			units := make([]uint16, len(rest)/2)
			for i := range units {
				units[i] = uint16(rest[2*i+order])&0xff | uint16(rest[2*i+1-order])<<8
			}
			content = []byte(string(utf16.Decode(units)))
		}
	}
	head := content[:min(len(content), 8000)]
	if bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(head) && countInvalid(head) > len(head)/10 {
		return "", false
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(content), "\ufeff"), "\uFFFD"), true
}

// countInvalid returns the number of bytes that are not valid UTF-8.
func countInvalid(b []byte) (n int) {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			n++
		}
		b = b[size:]
	}
	return n
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
