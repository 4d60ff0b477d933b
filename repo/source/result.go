package source

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// textOf returns what a result says as text. What is no text is named.
func textOf(r *mcp.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		if part := contentText(c); part != "" {
			parts = append(parts, part)
		}
	}
	if r.StructuredContent != nil && !told(parts, r.StructuredContent) {
		if b, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(b))
		}
	}
	return strings.ToValidUTF8(strings.Join(parts, "\n"), "?")
}

// told reports whether the parts of a text say what a structured content holds: a part is the same JSON, or
// the texts in it are parts of theirs. Some servers repeat it as text, and others only say that it is there.
func told(parts []string, structured any) bool {
	for _, part := range parts {
		var same any
		if json.Unmarshal([]byte(part), &same) == nil && reflect.DeepEqual(same, structured) {
			return true
		}
	}
	switch v := structured.(type) {
	case nil:
		return true
	case string:
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(part, v) })
	case []any:
		return !slices.ContainsFunc(v, func(one any) bool { return !told(parts, one) })
	case map[string]any:
		return told(parts, slices.Collect(maps.Values(v)))
	}
	return false
}

func contentText(c mcp.Content) string {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c.Text
	case *mcp.ImageContent:
		return fmt.Sprintf("[a picture of %d bytes, which is not shown]", len(c.Data))
	case *mcp.AudioContent:
		return fmt.Sprintf("[a sound of %d bytes, which is not shown]", len(c.Data))
	case *mcp.ResourceLink:
		return "[a link to " + c.URI + ", which is not followed]"
	case *mcp.EmbeddedResource:
		switch {
		case c.Resource == nil:
			return ""
		case c.Resource.Text != "":
			return c.Resource.Text
		}
		return fmt.Sprintf("[%s of %d bytes, which is not shown]", c.Resource.URI, len(c.Resource.Blob))
	}
	return fmt.Sprintf("[a part of the kind %T, which is not shown]", c)
}
