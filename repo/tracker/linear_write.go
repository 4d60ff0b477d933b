package tracker

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"net/http"
	"time"
)

// What is written to Linear has an id that is made of the mark, so Linear itself refuses it a second time.
var (
	//go:embed linear_file.graphql
	fileMutation string
	//go:embed linear_find.graphql
	findQuery string
	//go:embed linear_comment.graphql
	commentMutation string
	//go:embed linear_commented.graphql
	commentedQuery string
)

// uuid returns a UUID of version 4 that is made of the mark.
func uuid(mark string) string {
	b := sha256.Sum256([]byte(mark))
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

type linearFiled struct {
	Identifier string `json:"identifier"`
	URL        string `json:"url"`
}

func (l linear) filed(i linearFiled) Filed { return Filed{Shown: i.Identifier, URL: l.page(i.URL)} }

// ask sends a question or a mutation, and reads its data into data.
func (l linear) ask(ctx context.Context, query string, variables map[string]any, data any) error {
	var got struct {
		Data   any          `json:"data"`
		Errors linearErrors `json:"errors"`
	}
	got.Data = data
	question := map[string]any{"query": query, "variables": variables}
	if err := l.client.post(ctx, question, &got); err != nil {
		return err
	}
	return got.Errors.err()
}

func (l linear) file(ctx context.Context, project string, d Draft) (Filed, error) {
	var teams struct {
		Teams struct {
			Nodes []struct {
				ID string `json:"id"`
			} `json:"nodes"`
		} `json:"teams"`
	}
	if err := l.ask(ctx, teamQuery, map[string]any{"key": project}, &teams); err != nil {
		return Filed{}, err
	}
	if len(teams.Teams.Nodes) == 0 {
		return Filed{}, errNotThere(http.StatusNotFound)
	}
	var made struct {
		Create struct {
			Issue linearFiled `json:"issue"`
		} `json:"issueCreate"`
	}
	err := l.ask(ctx, fileMutation, map[string]any{
		"id": uuid(d.Mark), "team": teams.Teams.Nodes[0].ID, "title": d.Title, "text": d.Text,
	}, &made)
	return l.filed(made.Create.Issue), err
}

func (l linear) find(ctx context.Context, _, mark string, _ time.Time) (*Filed, error) {
	var got struct {
		Issues struct {
			Nodes []linearFiled `json:"nodes"`
		} `json:"issues"`
	}
	err := l.ask(ctx, findQuery, map[string]any{"id": uuid(mark)}, &got)
	if err != nil || len(got.Issues.Nodes) == 0 {
		return nil, err
	}
	f := l.filed(got.Issues.Nodes[0])
	return &f, nil
}

func (l linear) comment(ctx context.Context, key Key, d Draft) error {
	return l.ask(ctx, commentMutation,
		map[string]any{"id": uuid(d.Mark), "issue": key.ID, "text": d.Text}, &struct{}{})
}

func (l linear) commented(ctx context.Context, _ Key, mark string) (bool, error) {
	var got struct {
		Comments struct {
			Nodes []struct{} `json:"nodes"`
		} `json:"comments"`
	}
	err := l.ask(ctx, commentedQuery, map[string]any{"id": uuid(mark)}, &got)
	return len(got.Comments.Nodes) > 0, err
}

func (l linear) mayWrite(context.Context, string) error { return nil }
