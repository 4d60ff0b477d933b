package slacktest

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

// A File is an uploaded file, as it appears in the message that shares it.
type File struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	Mimetype string `json:"mimetype"`
	Filetype string `json:"filetype"`
	Size     int    `json:"size"`
	User     string `json:"user"`
	Created  int64  `json:"created"`

	Mode     string `json:"mode,omitempty"`        // default hosted; or snippet, canvas, tombstone, …
	External string `json:"external,omitempty"`    // URL of a file that is not stored by Slack
	URL      string `json:"url_private,omitempty"` // URL at which the app reads the file
	Reserved bool   `json:"reserved,omitempty"`    // events have only the id: the app has to call files.info

	Transcript *Transcript `json:"transcript,omitempty"` // of a clip; default: Slack has none
}

// A Transcript is what Slack wrote down of a clip.
type Transcript struct {
	Preview string `json:"preview"`
	More    bool   `json:"more,omitempty"`  // the preview is not all of it
	VTT     string `json:"vtt,omitempty"`   // URL of the subtitles
	Looks   int    `json:"looks,omitempty"` // how many calls of files.info come before it is there
}

// wire returns the transcript as Slack tells it.
func (t *Transcript) wire() object {
	if t.Looks > 0 {
		return object{"status": "processing"}
	}
	return object{
		"status":  "complete",
		"locale":  "en-US",
		"preview": object{"content": t.Preview, "has_more": t.More},
	}
}

// An upload is a file with its state: announced, then sent, then shared, each once.
type upload struct {
	File
	content []byte
	sent    bool
	done    bool
}

const (
	// uploadMethod is the name of the transfer of a file's content in Requests and in a Fault. It has its
	// own address and is not a method of Slack's API.
	uploadMethod = "upload/v1"
	maxFile      = 1 << 30
)

func (s *Server) filesGetUploadURL(c *call) (object, error) {
	name := c.get("filename")
	length := c.get("length")
	size, err := strconv.Atoi(length)
	switch {
	case name == "":
		return nil, invalid("missing required field: filename")
	case length == "":
		return nil, invalid("missing required field: length")
	case err != nil || size <= 0:
		return nil, invalid("must be an integer greater than 0 [json-pointer:/length]")
	case size > maxFile:
		return nil, fail("file_upload_size_restricted")
	}
	kind := strings.TrimPrefix(path.Ext(name), ".")
	u := &upload{File: File{
		ID: s.state.id("F"), Name: name, Title: name, Filetype: kind, Mimetype: mimetype(kind), Size: size,
		User: s.state.app.BotUser, Created: s.cfg.Now().Unix(),
	}}
	if snippet := c.get("snippet_type"); snippet != "" {
		u.Mode = "snippet"
		u.Filetype = snippet
	}
	s.state.uploads[u.ID] = u
	return object{"upload_url": s.base() + "/" + uploadMethod + "/" + u.ID, "file_id": u.ID}, nil
}

func invalid(message string) error {
	return &failure{code: "invalid_arguments", messages: []string{message}}
}

func mimetype(kind string) string {
	if kind == "md" {
		return "text/markdown"
	}
	if kind := mime.TypeByExtension("." + kind); strings.HasPrefix(kind, "image/") {
		return kind
	}
	return "text/plain"
}

// serveUpload receives a file's content. It is recorded like a call of the Web API, with the file's id as
// its argument, and faults apply to it.
func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request) {
	id := path.Base(r.URL.Path)
	c := &call{method: uploadMethod, args: map[string][]string{"file": {id}}, id: newUUID()}
	content, err := readUpload(r)
	fault := s.arrive(c)
	if !s.pause(r, fault.Latency) {
		return
	}
	if fault.Status != 0 || fault.Error != "" {
		s.answerFault(w, c, fault)
		return
	}
	status := http.StatusBadRequest
	if err == nil {
		status = s.keepUpload(id, content)
	}
	if fault.LoseAnswer {
		s.settle(c, 0, nil, true)
		cut(w)
		return
	}
	s.settle(c, status, nil, false)
	w.WriteHeader(status)
	if status == http.StatusOK {
		_, _ = fmt.Fprintf(w, "OK - %d", len(content))
	}
}

// readUpload reads the raw body, or the one file of a form.
func readUpload(r *http.Request) ([]byte, error) {
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		return io.ReadAll(r.Body)
	}
	form, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	for {
		part, err := form.NextPart()
		if err != nil {
			return nil, err
		}
		if part.FileName() != "" {
			return io.ReadAll(part)
		}
	}
}

// keepUpload stores the content and returns the HTTP status to answer with. An address works once, for
// exactly the announced number of bytes.
func (s *Server) keepUpload(id string, content []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.state.uploads[id]
	switch {
	case u == nil:
		return http.StatusNotFound
	case u.sent, len(content) != u.Size:
		return http.StatusBadRequest
	}
	u.content = content
	u.sent = true
	return http.StatusOK
}

func (s *Server) filesCompleteUpload(c *call) (object, error) {
	uploads, err := s.completed(c)
	if err != nil {
		return nil, err
	}
	m := &Message{
		User:  s.state.app.BotUser,
		BotID: s.state.app.BotID,
		AppID: s.state.app.ID,
		Text:  c.get("initial_comment"),
	}
	ch, err := s.shareTarget(c)
	if err != nil {
		return nil, err
	}
	if m.Text == "" {
		if m.Blocks, err = s.blocksArg(c, blockkit.MaxMessageBlocks); err != nil {
			return nil, err
		}
	}
	files := make([]object, len(uploads))
	for i, u := range uploads {
		u.done = true
		m.Files = append(m.Files, u.File)
		files[i] = wireFile(u.File)
		// The message is posted later, so the response cannot say where the files are.
		files[i]["shares"] = object{}
		files[i]["channels"] = []string{}
	}
	if ch != nil {
		s.share(ch, m, c.get("thread_ts"))
	}
	return object{"files": files}, nil
}

// completed returns the uploads that a call names. Each upload can be completed once.
func (s *Server) completed(c *call) ([]*upload, error) {
	var named []struct{ ID, Title string }
	if !c.has("files") {
		return nil, invalid("missing required field: files")
	}
	if json.Unmarshal([]byte(c.get("files")), &named) != nil || len(named) == 0 {
		return nil, invalid("must be a non-empty array of objects [json-pointer:/files]")
	}
	var found []*upload
	for _, n := range named {
		u := s.state.uploads[n.ID]
		if u == nil || !u.sent || u.done || slices.Contains(found, u) {
			return nil, fail("file_not_found")
		}
		orElse(&n.Title, u.Title)
		u.Title = n.Title
		found = append(found, u)
	}
	return found, nil
}

// shareTarget returns the channel to share in, or nil to leave the files private to the app.
func (s *Server) shareTarget(c *call) (*Channel, error) {
	id := c.get("channel_id")
	if id == "" {
		return nil, nil
	}
	ch := s.state.channels[id] // Slack does not accept a channel's name here
	switch {
	case ch == nil, ch.Kind != Public && !s.state.appIn(ch):
		return nil, fail("channel_not_found")
	case !s.state.appIn(ch):
		return nil, fail("not_in_channel")
	case ch.Archived:
		return nil, fail("is_archived")
	}
	return ch, nil
}

// share posts the message with the files, at once or after Config.ShareDelay.
func (s *Server) share(ch *Channel, m *Message, thread string) {
	post := func() {
		if thread != "" {
			m.ThreadTS = s.state.root(ch.ID, thread)
		}
		s.post(ch, m)
	}
	if s.cfg.ShareDelay <= 0 {
		post()
		return
	}
	time.AfterFunc(s.cfg.ShareDelay, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed {
			post()
		}
	})
}

func wireFile(f File) object {
	orElse(&f.Mode, "hosted")
	w := object{
		"id":          f.ID,
		"name":        f.Name,
		"title":       f.Title,
		"mimetype":    f.Mimetype,
		"filetype":    f.Filetype,
		"size":        f.Size,
		"user":        f.User,
		"created":     f.Created,
		"timestamp":   f.Created,
		"mode":        f.Mode,
		"is_external": f.External != "",
		"is_public":   true,
		"file_access": "visible",
	}
	if f.Mode == "tombstone" { // Slack returns no more about a deleted file
		return object{"id": f.ID, "mode": f.Mode}
	}
	put(w, "url_private", f.URL)
	put(w, "url_private_download", f.URL)
	if f.Transcript != nil {
		w["transcription"] = f.Transcript.wire()
		put(w, "vtt", f.Transcript.VTT)
	}
	if f.External != "" {
		w["external_type"] = "gdrive"
		w["url_private"] = f.External
		delete(w, "url_private_download")
	}
	return w
}

func wireFiles(files []File) []object {
	list := make([]object, len(files))
	for i, f := range files {
		if list[i] = wireFile(f); f.Reserved {
			list[i] = object{
				"id":          f.ID,
				"mode":        "file_access",
				"file_access": "check_file_info",
				"created":     f.Created,
				"user":        f.User,
			}
		}
	}
	return list
}

// FileContent returns the content of a file. The files are listed in the messages that share them.
func (s *Server) FileContent(id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.state.uploads[id]
	if u == nil || !u.done {
		return "", fmt.Errorf("slacktest: no file %q", id)
	}
	return string(u.content), nil
}
