package slacktest

import (
	"encoding/json"

	"github.com/bobbinhq/bobbin/bot/slacktest/internal/blockkit"
)

// blocksArg reads and checks the blocks of a message, and gives an id to each block and interactive element
// without one, as Slack does. It returns nil if there are no blocks.
func (s *Server) blocksArg(c *call, most int) (json.RawMessage, error) {
	text := c.get("blocks")
	if text == "" {
		return nil, nil
	}
	var blocks []object
	if json.Unmarshal([]byte(text), &blocks) != nil {
		return nil, fail("invalid_blocks_format")
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	if err := refuseBroken("invalid_blocks", blockkit.CheckBlocks(blocks, most)); err != nil {
		return nil, err
	}
	if blockkit.TextLength(blocks) > blockkit.MaxBlocksText {
		return nil, fail("msg_blocks_too_long")
	}
	s.state.nameBlocks(blocks)
	return mustJSON(blocks), nil
}

// refuseBroken returns a failure with the errors in wrong, or nil if there are none.
func refuseBroken(code string, wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	return &failure{code: code, messages: wrong}
}

// nameBlocks fills in missing block_id and action_id fields.
func (st *state) nameBlocks(blocks []object) {
	for _, b := range blocks {
		if blockkit.Text(b, "block_id") == "" {
			b["block_id"] = st.id("b")
		}
		for _, e := range blockkit.Elements(b) {
			if blockkit.IsInteractive(e) && blockkit.Text(e, "action_id") == "" {
				e["action_id"] = st.id("a")
			}
		}
	}
}
