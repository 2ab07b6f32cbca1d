// Tests of TaskImport.
