"""PDF files: lines as a page shows them, their order, tables, headings, notes and scans."""
