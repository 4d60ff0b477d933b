package remotetest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// An LFS is the server of Git LFS of an Origin: its batch API with the basic transfer, as
// docs/api/batch.md of Git LFS describes it. Set the exported fields before ServeLFS.
type LFS struct {
	// Places says, by OID, where objects are. Those that are in no place, and whose content was added, are
	// at the server itself, for requests with a header that it names. An empty Href: the answer has no place.
	Places map[string]LFSPlace
	// Batch answers requests of the batch API instead of the server, after their login; nil: the server does.
	Batch http.HandlerFunc
	// Object answers requests for objects instead of the server; nil: the server does.
	Object func(w http.ResponseWriter, r *http.Request, content []byte)

	mu      sync.Mutex
	objects map[string][]byte
	asked   []string
}

// An LFSPlace is where an object is, with the headers that its request needs.
type LFSPlace struct {
	Href   string            `json:"href"`
	Header map[string]string `json:"header,omitempty"`
}

// Pointer returns the pointer to a content, as it is committed.
func Pointer(content string) string {
	return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", OID(content),
		len(content))
}

// OID returns the name of the object with a content.
func OID(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// Add stores a content at the server, and returns the pointer to it.
func (l *LFS) Add(content string) (pointer string) {
	l.Replace(OID(content), content)
	return Pointer(content)
}

// Replace stores another content than that of the object.
func (l *LFS) Replace(oid, content string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.objects == nil {
		l.objects = map[string][]byte{}
	}
	l.objects[oid] = []byte(content)
}

// Asked returns the OIDs of the objects that were asked for with the batch API, once for each request.
func (l *LFS) Asked() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.asked)
}

// lfsPass is what requests for objects need; the server names it in its answer to those with a login.
const lfsPass = "RemoteAuth pass-of-one-answer"

// ServeLFS serves the origin over smart HTTP with Git LFS at the same host, and returns its URL. If token is
// not empty, requests of git and of the batch API need it.
func (o *Origin) ServeLFS(token string, l *LFS) string {
	o.T.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	o.T.Cleanup(server.Close)
	batch := l.Batch
	if batch == nil {
		batch = func(w http.ResponseWriter, r *http.Request) { l.serveBatch(w, r, server.URL) }
	}
	mux.Handle("/", requireToken(o.gitHandler(), token))
	mux.Handle("POST /remote.git/info/lfs/objects/batch", requireToken(batch, token))
	mux.HandleFunc("GET /lfs-objects/{oid}", l.serveObject)
	return server.URL + "/remote.git"
}

func (l *LFS) serveBatch(w http.ResponseWriter, r *http.Request, own string) {
	const media = "application/vnd.git-lfs+json"
	var in struct {
		Operation string
		Transfers []string
		Objects   []struct {
			OID  string
			Size int64
		}
	}
	err := json.NewDecoder(r.Body).Decode(&in)
	if err != nil || in.Operation != "download" || !strings.HasPrefix(r.Header.Get("Accept"), media) ||
		r.Header.Get("Content-Type") != media {
		http.Error(w, "no batch", http.StatusUnprocessableEntity)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []map[string]any{}
	for _, o := range in.Objects {
		l.asked = append(l.asked, o.OID)
		said := map[string]any{"oid": o.OID, "size": o.Size}
		place, elsewhere := l.Places[o.OID]
		_, there := l.objects[o.OID]
		switch {
		case elsewhere && place.Href == "":
		case elsewhere:
			said["actions"] = map[string]any{"download": place}
		case there:
			said["actions"] = map[string]any{"download": LFSPlace{
				own + "/lfs-objects/" + o.OID, map[string]string{"Authorization": lfsPass},
			}}
		default:
			said["error"] = map[string]any{"code": 404, "message": "Object does not exist"}
		}
		out = append(out, said)
	}
	w.Header().Set("Content-Type", media)
	_ = json.NewEncoder(w).Encode(map[string]any{"transfer": "basic", "objects": out})
}

func (l *LFS) serveObject(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	content, there := l.objects[r.PathValue("oid")]
	l.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != lfsPass:
		http.Error(w, "who?", http.StatusUnauthorized)
	case !there:
		http.NotFound(w, r)
	case l.Object != nil:
		l.Object(w, r, content)
	default:
		_, _ = w.Write(content)
	}
}
