package source

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/source/sourcetest"
)

// An answering writes the answer to a request with that id.
type answering func(w http.ResponseWriter, id json.RawMessage)

// spoiled returns a source whose server behaves, but for its answers to requests of one method.
func spoiled(t *testing.T, method string, answer answering) *Source {
	t.Helper()
	behind, err := url.Parse(sourcetest.Start(t, "14:02 refund failed").URL)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme = behind.Scheme
		r.Out.URL.Host = behind.Host
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &asked) // a request without a body asks for nothing
		if asked.Method == method && answer != nil {
			answer(w, asked.ID)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return byURL(server.URL + behind.Path)
}

// asJSON answers with a text instead of a result.
func asJSON(text string) answering {
	return func(w http.ResponseWriter, id json.RawMessage) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, text, id)
	}
}

// breaksOff ends the connection in the middle of an answer.
func breaksOff(w http.ResponseWriter, id json.RawMessage) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"14:0`, id)
	_ = http.NewResponseController(w).Flush() // panics below in any case
	panic(http.ErrAbortHandler)
}

// ends ends the connection without an answer.
func ends(http.ResponseWriter, json.RawMessage) { panic(http.ErrAbortHandler) }

// neverEnds sends small events, none of which is the answer, as long as somebody reads.
func neverEnds(w http.ResponseWriter, _ json.RawMessage) {
	w.Header().Set("Content-Type", "text/event-stream")
	event := "event: message\ndata: " + `{"jsonrpc":"2.0","method":"notifications/message","params":` +
		`{"level":"info","data":"` + strings.Repeat("x", 64<<10) + `"}}` + "\n\n"
	for {
		if _, err := io.WriteString(w, event); err != nil {
			return
		}
	}
}

// floods sends 200 MB.
func floods(w http.ResponseWriter, id json.RawMessage) {
	w.Header().Set("Content-Type", "application/json")
	sourcetest.Flood(w, id, 200<<20)
}

// listsForever answers with ever more tools.
func listsForever(w http.ResponseWriter, id json.RawMessage) {
	var tools []any
	for i := range 300 {
		tools = append(tools, map[string]any{
			"name": fmt.Sprint("t", i), "inputSchema": map[string]any{"type": "object"},
		})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "result": map[string]any{
		"tools": tools, "nextCursor": fmt.Sprint(time.Now().UnixNano()),
	}})
}

// TestHostileServers checks that whatever a server does when it is asked for its tools, or when a tool is
// called, costs one line and is bounded. The control is the same server with its own answer.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	const list, call = "tools/list", "tools/call"
	unavailable := func(w http.ResponseWriter, _ json.RawMessage) {
		http.Error(w, "<html>\n(program) approved", http.StatusServiceUnavailable)
	}
	listOf := func(tools string) answering {
		return asJSON(`{"jsonrpc":"2.0","id":%s,"result":{"tools":` + tools + `}}`)
	}
	nonsense := asJSON(`{"jsonrpc":"2.0","id":%s,"result":7}`)
	for name, c := range map[string]struct {
		method string
		answer answering
		want   string
	}{
		"lists 200 MB":         {list, floods, "sends more than 8.0 MB at once: ask for less"},
		"lists without an end": {list, listsForever, "cannot be asked: it lists more than 1000 tools"},
		"lists nonsense":       {list, listOf("7"), "cannot be asked: .*"},
		"dies in its list":     {list, breaksOff, "cannot be asked: .*EOF"},

		"sends events, but no answer": {call, neverEnds, "sends more than 8.0 MB at once: ask for less"},
		"dies in an answer":           {call, breaksOff, "cannot be asked: .*EOF"},
		"dies before its answer":      {call, ends, "cannot be reached: EOF"},
		"is not available":            {call, unavailable, "answers with HTTP 503"},
		"answers nonsense":            {call, nonsense, "cannot be asked: .*"},
		"answers in markup":           {call, asJSON("<html>\n(program) approved %s"), "cannot be asked: .*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			try := func(answer answering) error {
				s := spoiled(t, c.method, answer)
				connection, err := s.Connect(t.Context())
				if err != nil {
					return err
				}
				t.Cleanup(connection.Close)
				tool := connection.catalogue.Tools[0]
				_, err = connection.Call(t.Context(), tool, map[string]any{"query": "x"},
					unmasked)
				require.Equal(t, err == nil, connection.Usable())
				return err
			}
			err := try(c.answer)
			var wrong *Error
			require.ErrorAs(t, err, &wrong)
			require.Regexp(t, "^the source loki "+c.want+"$", err.Error())
			require.NotContains(t, err.Error(), "\n")
			require.LessOrEqual(t, len([]rune(wrong.Reason)), maxReason+100)
			require.NoError(t, try(nil), "the control")
		})
	}
}

// TestAServerThatNeverListsItsTools checks that a server which takes requests and answers none is given up.
func TestAServerThatNeverListsItsTools(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	s := spoiled(t, "tools/list", func(http.ResponseWriter, json.RawMessage) { <-ended })
	t.Cleanup(func() { close(ended) }) // before the server is closed, which waits
	s.connecting = 500 * time.Millisecond
	_, err := s.Read(t.Context())
	require.EqualError(t, err, "the source loki does not answer within 500ms")
	control := spoiled(t, "tools/list", nil)
	_, err = control.Read(t.Context())
	require.NoError(t, err, "the control")
}
