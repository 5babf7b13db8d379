package classify

import "strings"

// sql judges the statements given to a database client by their first words. A client's own commands that run programs or write
// files are Unknown.
func (r *reader) sql(w word, at span, depth int, f *finding) {
	if w.dynamic {
		f.raise(Unknown, f.program, " is given statements with an expansion in them")
	}
	for statement := range splitSQL(w.text) {
		r.sqlStatement(statement, f)
	}
}

func (r *reader) sqlStatement(statement string, f *finding) {
	upper := strings.ToUpper(statement)
	first, rest, _ := strings.Cut(upper, " ")
	switch first {
	case "":
		return
	case "SELECT", "VALUES", "TABLE", "WITH":
		for _, word := range []string{" INTO ", "DELETE ", "UPDATE ", "INSERT ", "PG_READ_FILE", "PG_LS_DIR", "LO_EXPORT", "LO_IMPORT", "LOAD_FILE", "PG_TERMINATE", "LOAD_EXTENSION", "WRITEFILE", "READFILE", "DBLINK", "SETVAL(", "PG_SLEEP", "SYS_EVAL", "SYS_EXEC"} {
			if strings.Contains(upper, word) {
				f.raise(Modify, f.program, " runs ", quote(statement))
			}
		}
	case "EXPLAIN":
		if strings.Contains(rest, "ANALY") {
			f.raise(Modify, f.program, " runs ", quote(statement))
		}
	case "SHOW", "DESCRIBE", "DESC", "USE", "PRAGMA", "BEGIN", "COMMIT", "ROLLBACK", "END", "SET", "--":
		if first == "PRAGMA" && strings.Contains(rest, "=") {
			f.raise(Modify, f.program, " sets ", quote(statement))
		}
	case ".TABLES", ".SCHEMA", ".MODE", ".HEADERS", ".HEADER", ".WIDTH", ".DATABASES", ".INDEXES", ".QUIT", ".EXIT", ".TIMEOUT", ".HELP", ".INDICES", ".STATS", ".DBINFO":
	case ".SHELL", ".SYSTEM", ".LOAD", ".READ", ".OPEN", ".OUTPUT", ".ONCE", ".EXCEL", ".IMPORT", ".BACKUP", ".SAVE", ".CLONE", ".LOG", ".DUMP", ".ARCHIVE", "COPY", "LOAD", "SOURCE", "SYSTEM":
		f.raise(Unknown, f.program, " ", quote(statement), " reaches beyond the database")
	case "DROP", "TRUNCATE":
		f.raise(Modify, f.program, " destroys data: ", quote(statement))
	default:
		if strings.HasPrefix(first, `\`) {
			if strings.HasPrefix(first, `\D`) || strings.HasPrefix(first, `\L`) && !strings.HasPrefix(first, `\LO_`) || first == `\X` || first == `\TIMING` || first == `\Q` || first == `\CONNINFO` || first == `\S` {
				return
			}
			f.raise(Unknown, f.program, " ", quote(statement), " reaches beyond the database")
			return
		}
		f.raise(Modify, f.program, " changes data: ", quote(statement))
	}
}

// splitSQL cuts text into statements at semicolons outside quotes, without comments at their beginning.
func splitSQL(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, quoted := 0, byte(0)
		for i := 0; i <= len(text); i++ {
			switch {
			case i == len(text) || quoted == 0 && text[i] == ';':
				if !yield(strings.Join(strings.Fields(sqlComment(text[start:i])), " ")) {
					return
				}
				start = i + 1
			case quoted != 0:
				if text[i] == quoted {
					quoted = 0
				}
			case text[i] == '\'' || text[i] == '"' || text[i] == '`':
				quoted = text[i]
			}
		}
	}
}

func sqlComment(s string) string {
	for {
		s = strings.TrimSpace(s)
		switch {
		case strings.HasPrefix(s, "--"):
			_, s, _ = strings.Cut(s, "\n")
		case strings.HasPrefix(s, "/*!"): // MySQL runs what such a comment holds
			s = strings.TrimLeft(s[3:], "0123456789")
		case strings.HasPrefix(s, "/*"):
			_, s, _ = strings.Cut(s, "*/")
		default:
			return s
		}
	}
}
