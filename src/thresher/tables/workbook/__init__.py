"""What reading a workbook needs beside calamine, which `thresher.tables.excel` alone names."""
