/// The names of columns in other languages, by the names of fields in scripts. They count where no column has an English name for
/// the field.
package enum ForeignNames {
  package static let names: [(field: String, names: Set<String>)] = [
    (
      "text",
      [
        "aufgabe", "aufgaben", "titel", "bezeichnung", "beschreibung", "betreff", "tâche", "tâches", "titre", "libellé",
        "texte", "tarea", "tareas", "título", "texto", "tarefa", "tarefas", "attività", "titolo", "testo", "taak",
        "taken", "uppgift", "uppgifter", "opgave", "opgaver", "oppgave", "oppgaver", "tehtävä", "tehtävät", "zadanie",
        "zadania", "tytuł", "úkol", "úkoly", "görev", "görevler", "задача", "задачи", "название", "タスク", "件名", "任务",
        "标题", "작업", "제목", "aufgabenname", "vorgang", "objet", "nom de la tâche", "asunto", "nombre de la tarea",
        "oggetto",
        "assunto", "onderwerp", "taaknaam", "ämne", "emne", "descripción", "descrição", "descrizione", "beschrijving",
        "beskrivning", "beskrivelse", "kuvaus", "opis", "popis", "описание",
      ]
    ),
    (
      "due",
      [
        "fällig", "fällig am", "fällig bis", "zu erledigen bis", "fälligkeit", "fälligkeitsdatum", "termin", "frist",
        "bis", "échéance",
        "date d'échéance",
        "vencimiento", "fecha de vencimiento", "fecha límite", "vencimento", "prazo", "scadenza", "data di scadenza",
        "vervaldatum", "einddatum", "förfallodatum", "forfaldsdato", "forfallsdato", "eräpäivä", "termin wykonania",
        "termín", "срок", "期日", "期限", "截止日期", "마감일",
      ]
    ),
    (
      "completed",
      [
        "erledigt", "fertig", "abgeschlossen", "terminé", "terminée", "fait", "completada", "completado", "hecho",
        "concluída", "concluído", "feito", "completato", "completata", "fatto", "voltooid", "klaar", "gereed", "klar",
        "slutförd", "færdig", "ferdig", "fullført", "valmis", "ukończone", "zrobione", "hotovo", "выполнено", "完了",
        "已完成", "완료", "statut", "état", "estado", "stato", "situação", "tila", "stan", "stav", "durum", "статус", "状态",
        "상태",
      ]
    ),
    (
      "priority",
      [
        "priorität", "wichtigkeit", "dringlichkeit", "priorité", "prioridad", "prioridade", "priorità", "prioriteit",
        "prioritet", "prioriteetti", "priorytet", "priorita", "öncelik", "приоритет", "優先度", "优先级", "우선순위",
      ]
    ),
    (
      "notes",
      [
        "notiz", "notizen", "bemerkung", "bemerkungen", "kommentar", "remarques", "commentaire", "notas", "note",
        "opmerkingen",
      ]
    ), ("start", ["beginn", "anfang", "startdatum", "début", "inicio", "início", "inizio"]),
    ("labels", ["schlagwörter", "stichwörter", "kategorie", "kategorien", "étiquettes", "etiquetas", "etichette"]),
  ]
}
