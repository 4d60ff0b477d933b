package source

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// textOf returns what a result says as text of at most most bytes, more or less, with its beginning and its
// end, and how many characters between them were left out. What is no text is named.
func textOf(r *mcp.CallToolResult, most int) (text string, left int) {
	var parts []string
	for _, c := range r.Content {
		if part := contentText(c); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		if b, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(b))
		}
	}
	return plaintext.CutMiddle(strings.ToValidUTF8(strings.Join(parts, "\n"), "?"), most/2, most/2)
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
