import { BarChart, CustomChart, LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components'
import type { EChartsCoreOption } from 'echarts/core'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'

use([BarChart, CustomChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer])

const size = { width: 960, height: 480 }
export const ink = '#1f2430'

/** Readable on any background, also for people with red-green blindness (Okabe and Ito); the bridge is the first. */
const colours = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#999999', '#56b4e9', '#d55e00']
const ownColours = ['#0072b2', '#56b4e9', '#003f63']

/** Shades of blue for the bridge, other colours for its peers. */
export const colourOf = (who: string, all: ReadonlyArray<string>): string => {
  const isOwn = (name: string) => name.startsWith('bridge')
  const among = all.filter((name) => isOwn(name) === isOwn(who)).indexOf(who)
  return (isOwn(who) ? ownColours[among] : colours.filter((colour) => !ownColours.includes(colour))[among]) ?? ink
}

export const text = { fontFamily: 'Helvetica, Arial, sans-serif', color: ink, fontSize: 13 }

export const axis = (name: string) => ({
  name,
  nameLocation: 'middle' as const,
  nameTextStyle: { ...text, fontSize: 14 },
  axisLabel: text,
  axisLine: { show: true, lineStyle: { color: ink } },
})

export const legend = { bottom: 12, itemGap: 28, textStyle: text, icon: 'roundRect' }

/** Draws without a browser, to text. */
export const draw = (title: string, option: EChartsCoreOption): string => {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size })
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: text,
    title: { text: title, left: 'center', top: 12, textStyle: { ...text, fontSize: 18, fontWeight: 'bold' } },
    legend,
    grid: { left: 84, right: 32, top: 64, bottom: 88 },
    ...option,
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}
